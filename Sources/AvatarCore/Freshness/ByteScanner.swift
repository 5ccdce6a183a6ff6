/// Reads header bytes from the front; each step takes what it names or leaves everything as it was. Never allocates.
struct ByteScanner {
  /// What has not been read yet.
  private(set) var rest: Substring.UTF8View

  init(_ text: String) { rest = text[...].utf8 }

  var isAtEnd: Bool { rest.isEmpty }
  var next: UInt8? { rest.first }

  /// Takes `byte` if it comes next.
  mutating func take(_ byte: UInt8) -> Bool {
    guard rest.first == byte else { return false }
    rest.removeFirst()
    return true
  }

  /// Takes the longest run, perhaps empty, of bytes that satisfy `predicate`.
  @discardableResult
  mutating func take(while predicate: (UInt8) -> Bool) -> Substring.UTF8View {
    let end = rest.firstIndex { !predicate($0) } ?? rest.endIndex
    defer { rest = rest[end...] }
    return rest[..<end]
  }

  /// Takes exactly `count` decimal digits as a number.
  mutating func takeNumber(digits count: Int) -> Int? {
    var number = 0
    var index = rest.startIndex
    for _ in 0..<count {
      guard index < rest.endIndex, rest[index].isDigit else { return nil }
      number = number * 10 + Int(rest[index] - 0x30)
      rest.formIndex(after: &index)
    }
    rest = rest[index...]
    return number
  }

  /// Takes a closed quoted string (RFC 9110 section 5.6.4) and gives what is between the quotes, escapes as they came; nil, and
  /// nothing taken, if none begins here or it is never closed.
  mutating func takeQuoted() -> Substring.UTF8View? {
    guard rest.first == .quote else { return nil }
    let start = rest.index(after: rest.startIndex)
    var index = start
    while index < rest.endIndex {
      switch rest[index] {
      case .quote:
        defer { rest = rest[rest.index(after: index)...] }
        return rest[start..<index]
      case .backslash:
        rest.formIndex(after: &index)
        if index == rest.endIndex { return nil }
        rest.formIndex(after: &index)
      default:
        rest.formIndex(after: &index)
      }
    }
    return nil
  }
}

extension UInt8 {
  static let quote = UInt8(ascii: "\"")
  static let backslash = UInt8(ascii: "\\")
  static let comma = UInt8(ascii: ",")

  var isDigit: Bool { self >= 0x30 && self <= 0x39 }
  var isLetter: Bool { (self | 0x20) >= 0x61 && (self | 0x20) <= 0x7A }
  var isBlank: Bool { self == 0x20 || self == 0x09 }
  /// A to Z become a to z; everything else stays.
  var lowercased: UInt8 { self >= 0x41 && self <= 0x5A ? self | 0x20 : self }

  /// RFC 9110 section 5.6.2: `tchar`.
  var isTokenByte: Bool {
    if isDigit || isLetter { return true }
    switch self {
    case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E...0x60, 0x7C, 0x7E: return true
    default: return false
    }
  }
}

extension Substring.UTF8View {
  /// Whether these bytes are `name` (lower case), letters in any case.
  func equalsIgnoringCase(_ name: String) -> Bool {
    count == name.utf8.count && zip(self, name.utf8).allSatisfy { $0.lowercased == $1 }
  }
}
