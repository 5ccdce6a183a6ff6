import AvatarCore

/// A request target that passed the one strict reading: nothing decoded, nothing normalized. (RFC 9112 section 3.2)
///
/// Taken are the origin form and the absolute form with `http` or `https`, whose authority must be the `Host`. Refused
/// are bytes that RFC 3986 does not allow (in a query those that browsers leave raw are taken), broken
/// percent-encodings, `%00`, and `.` or `..` as a path segment in any spelling.
struct RequestTarget: Hashable, Sendable {
  /// Up to the first `?`; begins with `/`.
  let path: String
  /// After the first `?`; nil without one.
  let query: String?
  /// What the absolute form named; nil for the origin form.
  let authority: String?

  /// Reads a whole target; nil if it is not one that is served.
  init?<Bytes: RandomAccessCollection<UInt8>>(_ bytes: Bytes) {
    var start = bytes.startIndex
    if bytes.first == UInt8(ascii: "/") {
      authority = nil
    } else {
      guard let (name, end) = Self.authority(of: bytes) else { return nil }
      authority = name
      start = end
    }
    // Read once: a static costs a check each time.
    let (pathSet, querySet) = (Self.pathBytes, Self.queryBytes)
    var questionMark: Bytes.Index?
    var index = start
    while index != bytes.endIndex {
      let byte = bytes[index]
      let next = bytes.index(after: index)
      if questionMark == nil {
        guard pathSet.contains(byte) else {
          guard byte == UInt8(ascii: "?") else { return nil }
          questionMark = index
          index = next
          continue
        }
        if byte == UInt8(ascii: "/"), Self.isDotSegment(bytes[next...]) { return nil }
      } else if !querySet.contains(byte) {
        return nil
      }
      if byte == UInt8(ascii: "%") {
        guard let value = Self.percentEncoded(bytes[next...]), value != 0 else { return nil }
      }
      index = next
    }
    let pathBytes = bytes[start..<(questionMark ?? bytes.endIndex)]
    path = pathBytes.isEmpty ? "/" : String(decoding: pathBytes, as: UTF8.self)
    query = questionMark.map { String(decoding: bytes[bytes.index(after: $0)...], as: UTF8.self) }
  }

  // MARK: - Parts

  /// The authority of an absolute form and where it ends; nil for any other form.
  private static func authority<Bytes: RandomAccessCollection<UInt8>>(
    of bytes: Bytes
  ) -> (name: String, end: Bytes.Index)? {
    for scheme in ["http://", "https://"] {
      let prefix = bytes.prefix(scheme.utf8.count)
      guard prefix.map({ asciiLowercased($0) }).elementsEqual(scheme.utf8) else { continue }
      let rest = bytes.dropFirst(scheme.utf8.count)
      let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? bytes.endIndex
      let name = rest[rest.startIndex..<end]
      guard !name.isEmpty, name.allSatisfy({ HostField.bytes.contains($0) }) else { return nil }
      return (String(decoding: name, as: UTF8.self), end)
    }
    return nil
  }

  /// Whether what follows a slash is `.` or `..`, raw or percent-encoded, up to the next slash, `?` or the end.
  private static func isDotSegment(_ rest: some RandomAccessCollection<UInt8>) -> Bool {
    var rest = rest[...]
    var dots = 0
    while dots < 3, let byte = rest.first {
      if byte == UInt8(ascii: ".") {
        rest = rest.dropFirst()
      } else if byte == UInt8(ascii: "%"), percentEncoded(rest.dropFirst()) == UInt8(ascii: ".") {
        rest = rest.dropFirst(3)
      } else {
        break
      }
      dots += 1
    }
    guard dots == 1 || dots == 2 else { return false }
    return rest.first.map { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? true
  }

  /// The byte that the two digits at the front of `rest` stand for; nil if they are not two hexadecimal digits.
  private static func percentEncoded(_ rest: some RandomAccessCollection<UInt8>) -> UInt8? {
    guard let first = rest.first.flatMap(hexadecimal), let second = rest.dropFirst().first.flatMap(hexadecimal) else {
      return nil
    }
    return first << 4 | second
  }

  private static func hexadecimal(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  private static let pathBytes = ASCIISet(letters: true, digits: true, others: "-._~!$&'()*+,;=:@/%")
  private static let queryBytes = pathBytes.adding("?[]|^{}`\\")
}

/// The `Host` field's alphabet. (RFC 9110 section 7.2)
enum HostField {
  static let bytes = ASCIISet(letters: true, digits: true, others: "-._~!$&'()*+,;=:[]%")
}

/// A set of ASCII bytes that answers in a shift and a mask.
struct ASCIISet: Sendable {
  private var low: UInt64 = 0
  private var high: UInt64 = 0

  init(letters: Bool, digits: Bool, others: StaticString) {
    if letters {
      for byte in UInt8(ascii: "A")...UInt8(ascii: "Z") { insert(byte) }
      for byte in UInt8(ascii: "a")...UInt8(ascii: "z") { insert(byte) }
    }
    if digits { for byte in UInt8(ascii: "0")...UInt8(ascii: "9") { insert(byte) } }
    for byte in others.description.utf8 { insert(byte) }
  }

  func adding(_ others: StaticString) -> ASCIISet {
    var larger = self
    for byte in others.description.utf8 { larger.insert(byte) }
    return larger
  }

  @inline(__always)
  func contains(_ byte: UInt8) -> Bool {
    let word = byte < 64 ? low : high
    return byte < 128 && word >> UInt64(byte & 63) & 1 == 1
  }

  private mutating func insert(_ byte: UInt8) {
    if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte & 63) }
  }
}

/// A to Z in lower case, every other byte as it is.
@inline(__always)
func asciiLowercased(_ byte: UInt8) -> UInt8 {
  byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
}
