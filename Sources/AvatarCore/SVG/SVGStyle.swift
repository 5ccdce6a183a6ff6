/// Takes the references that lead out of the document from attribute values and style sheets. (CSS Syntax 3.)
///
/// Escapes go first: with a backslash any word can be written so that only a CSS parser knows it again.
enum SVGStyle {
  /// An attribute's value; nil where the attribute is better left out.
  static func safe(attribute value: [UInt8], isStyle: Bool) -> [UInt8]? {
    let plain = value.map { $0 == UInt8(ascii: "\\") ? UInt8(ascii: " ") : $0 }
    guard hasOuterReference(plain) else { return plain }
    return isStyle ? safe(sheet: plain) : nil
  }

  /// A style sheet or a list of declarations: what refers to the outside becomes a word that no property knows.
  static func safe(sheet: [UInt8]) -> [UInt8] {
    var result = sheet.map { $0 == UInt8(ascii: "\\") ? UInt8(ascii: " ") : $0 }
    for index in result.indices {
      if matches("@import", result, index) || matches("@charset", result, index) || matches("@font-face", result, index)
      {
        result[index + 1] = UInt8(ascii: "x")
      }
      if matches("url(", result, index), !isInner(result, index + 4) { result[index] = UInt8(ascii: "x") }
    }
    return result
  }

  private static func hasOuterReference(_ value: [UInt8]) -> Bool {
    value.indices.contains { matches("url(", value, $0) && !isInner(value, $0 + 4) }
  }

  /// Whether what stands in `url(…` begins with `#`.
  private static func isInner(_ value: [UInt8], _ start: Int) -> Bool {
    let first = value[start...].first {
      !XMLReader.isSpace($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "'")
    }
    return first == UInt8(ascii: "#")
  }

  private static func matches(_ word: StaticString, _ value: [UInt8], _ index: Int) -> Bool {
    guard value.count - index >= word.utf8CodeUnitCount else { return false }
    return word.withUTF8Buffer { word in
      zip(word, value[index...]).allSatisfy { letter, byte in
        letter == ((65...90).contains(byte) ? byte | 0x20 : byte)
      }
    }
  }
}
