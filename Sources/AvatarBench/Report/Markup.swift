/// Text on its way into a page.
enum Markup {
  /// Text that stands for itself in an element and in a quoted attribute.
  static func text(_ text: String) -> String {
    var escaped = ""
    for character in text.unicodeScalars {
      switch character {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      default: escaped.unicodeScalars.append(character)
      }
    }
    return escaped
  }

  /// A JSON document that can stand in a `script` element: in JSON these characters occur in strings alone, where `\u003c` is the same.
  static func json(_ document: [UInt8]) -> String {
    var escaped: [UInt8] = []
    escaped.reserveCapacity(document.count)
    for byte in document {
      switch byte {
      case UInt8(ascii: "<"): escaped += Array(#"\u003c"#.utf8)
      case UInt8(ascii: ">"): escaped += Array(#"\u003e"#.utf8)
      case UInt8(ascii: "&"): escaped += Array(#"\u0026"#.utf8)
      default: escaped.append(byte)
      }
    }
    return String(decoding: escaped, as: UTF8.self)
  }

  /// A table; the cells are markup already, the first of each row names it.
  static func table(_ caption: String, _ heads: [String], _ rows: [[String]]) -> String {
    var table = "<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"\(text(caption))\"><table><thead><tr>"
    for head in heads { table += "<th scope=\"col\">\(head)</th>" }
    table += "</tr></thead><tbody>\n"
    for row in rows {
      table += "<tr><th scope=\"row\">\(row.first ?? "")</th>"
      for cell in row.dropFirst() { table += "<td>\(cell)</td>" }
      table += "</tr>\n"
    }
    return table + "</tbody></table></div>\n"
  }
}
