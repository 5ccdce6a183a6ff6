/// The rules for texts: which values count as one, and what of a name may be shown.
enum PayloadText {
  /// Most characters of a name.
  static let longestName = 120

  /// Without blanks around it; nil if nothing is left.
  static func trimmed(_ text: String) -> String? {
    let scalars = text.unicodeScalars
    guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
      let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
    else { return nil }
    return String(scalars[first...last])
  }

  /// A JSON number as text if it is whole: the digits as they came, or for `1.0` and `1e3` the digits that they mean.
  static func wholeNumber(_ literal: ArraySlice<UInt8>) -> String? {
    let text = String(decoding: literal, as: UTF8.self)
    if text == "-0" { return "0" }
    if literal.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") }) { return text }
    // Past 2^53 not every whole number is a Double: what came may have been another one.
    guard let value = Double(text), value.rounded() == value, abs(value) < 9_007_199_254_740_992 else { return nil }
    return String(Int64(value))
  }

  /// A name as it may be shown: no control character, no bidirectional embedding, override or isolate that reorders what stands
  /// beside it, at most `longestName` characters. Line breaks become a blank. Nil if nothing is left.
  static func name(_ text: String) -> String? {
    var scalars = String.UnicodeScalarView()
    var lineBroke = false
    for scalar in text.unicodeScalars {
      if isLineBreak(scalar) {
        lineBroke = true
      } else if isBidirectionalControl(scalar) || scalar.properties.generalCategory == .control {
        continue
      } else {
        if lineBroke, !scalar.properties.isWhitespace, scalars.last?.properties.isWhitespace == false {
          scalars.append(" ")
        }
        lineBroke = false
        scalars.append(scalar)
      }
    }
    guard let whole = trimmed(String(scalars)) else { return nil }
    return trimmed(String(whole.prefix(longestName)))
  }

  /// An id that may stand in a path: `[A-Za-z0-9._~-]{1,128}`, not `.` or `..`.
  static func pathID(_ text: String) -> String? {
    let isSafe = text.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
      default:
        byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "~") || byte == UInt8(ascii: "-")
      }
    }
    return isSafe && (1...128).contains(text.utf8.count) && text != "." && text != ".." ? text : nil
  }

  private static func isLineBreak(_ scalar: Unicode.Scalar) -> Bool {
    (0x09...0x0D).contains(scalar.value) || [0x85, 0x2028, 0x2029].contains(scalar.value)
  }

  private static func isBidirectionalControl(_ scalar: Unicode.Scalar) -> Bool {
    (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
  }
}
