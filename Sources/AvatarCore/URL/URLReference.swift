/// The parts of a URL reference as they came, nothing decoded or changed (RFC 3986 section 4.1, appendix B).
///
/// Refused here, wherever they stand: control characters, backslashes (parsers disagree on both) and more bytes than
/// `SourceURL.maximumBytes`. The fragment is dropped.
struct URLReference {
  /// Nil for a relative reference.
  let scheme: Scheme?
  /// What stands between `//` and the path; nil without `//`.
  let authority: ArraySlice<UInt8>?
  /// May be empty.
  let path: ArraySlice<UInt8>
  /// Without its `?`; nil if there is none, empty after a bare `?`.
  let query: ArraySlice<UInt8>?
  /// Whether nothing at all was given.
  let isEmpty: Bool

  /// Throws `invalid_source_url`.
  init(_ bytes: some Collection<UInt8>) throws(AvatarError) {
    guard bytes.count <= SourceURL.maximumBytes else { throw SourceURL.invalid("longer than 4,096 bytes") }
    var rest = Array(bytes)[...]
    while rest.first == UInt8(ascii: " ") { rest.removeFirst() }
    while rest.last == UInt8(ascii: " ") { rest.removeLast() }
    for byte in rest {
      guard byte >= 0x20, byte != 0x7F else { throw SourceURL.invalid("control character") }
      guard byte != UInt8(ascii: "\\") else { throw SourceURL.invalid("backslash") }
    }
    isEmpty = rest.isEmpty
    if let mark = rest.firstIndex(of: UInt8(ascii: "#")) { rest = rest[..<mark] }
    if let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
      query = rest[(mark + 1)...]
      rest = rest[..<mark]
    } else {
      query = nil
    }
    if let colon = Self.schemeEnd(rest) {
      guard let known = Scheme(rawValue: ASCII.lowercased(rest[..<colon])) else {
        throw SourceURL.invalid("scheme is neither http nor https")
      }
      scheme = known
      rest = rest[(colon + 1)...]
    } else {
      scheme = nil
    }
    if rest.starts(with: "//".utf8) {
      rest = rest.dropFirst(2)
      let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
      authority = rest[..<end]
      path = rest[end...]
    } else {
      authority = nil
      path = rest
    }
  }

  /// Where the `:` after a scheme is (RFC 3986 section 3.1); nil if the text does not begin with a scheme.
  private static func schemeEnd(_ bytes: ArraySlice<UInt8>) -> Int? {
    guard let first = bytes.first, ASCII.isLetter(first) else { return nil }
    for (index, byte) in zip(bytes.indices, bytes) {
      if byte == UInt8(ascii: ":") { return index }
      guard ASCII.isLetter(byte) || ASCII.isDigit(byte) || "+-.".utf8.contains(byte) else { return nil }
    }
    return nil
  }
}
