extension Validators {
  /// The longest validator that is kept; a longer one is dropped, and the next request is unconditional.
  static let maximumBytes = 512

  /// The validators of an answer that can be sent back without harm.
  ///
  /// Dropped: two different values, control bytes, bytes that were not UTF-8, more than 512 bytes, a `Last-Modified` that is no date, and
  /// an unquoted `ETag` of anything but harmless characters (sent back, `*` would match whatever the origin has by then).
  init(of response: OriginResponse) {
    self.init()
    if let value = Self.single(response.values(of: "etag")), Self.isUsableTag(value) { etag = value }
    if let value = Self.single(response.values(of: "last-modified")),
      HTTPDate.parse(value, now: response.receivedAt) != nil
    {
      lastModified = value
    }
  }

  /// Whether a 304 that carries `other` can speak of the bytes that carried these validators (RFC 9111 section 4.3.4).
  ///
  /// Entity tags compare weakly; where both sides have one it decides. Else two dates must be the same. What one side lacks is no
  /// disagreement.
  func agree(with other: Validators, now: UnixTime) -> Bool {
    if let etag, let otherTag = other.etag {
      return Self.opaque(etag).elementsEqual(Self.opaque(otherTag))
    }
    guard let lastModified, let otherDate = other.lastModified else { return true }
    return HTTPDate.parse(lastModified, now: now) == HTTPDate.parse(otherDate, now: now)
  }

  private static func single(_ values: [String]) -> String? {
    guard let first = values.first, values.allSatisfy({ $0 == first }) else { return nil }
    return first
  }

  private static func isUsableTag(_ tag: String) -> Bool {
    guard !tag.isEmpty, tag.utf8.count <= maximumBytes, !tag.unicodeScalars.contains("\u{FFFD}") else { return false }
    var scanner = unweakened(tag)
    if scanner.take(.quote) {
      scanner.take { $0 != .quote && $0 >= 0x20 && $0 != 0x7F }
      return scanner.take(.quote) && scanner.isAtEnd
    }
    scanner.take { $0.isLetter || $0.isDigit || harmless.contains($0) }
    return scanner.isAtEnd
  }

  private static let harmless = Array("-_.:+/=~".utf8)

  /// The tag without `W/` and quotes.
  private static func opaque(_ tag: String) -> Substring.UTF8View {
    var scanner = unweakened(tag)
    guard scanner.take(.quote) else { return scanner.rest }
    return scanner.take { $0 != .quote }
  }

  /// What comes after `W/`, in either case, since some origins send it small.
  private static func unweakened(_ tag: String) -> ByteScanner {
    var scanner = ByteScanner(tag)
    let isWeak =
      (scanner.take(UInt8(ascii: "W")) || scanner.take(UInt8(ascii: "w"))) && scanner.take(UInt8(ascii: "/"))
    return isWeak ? scanner : ByteScanner(tag)
  }
}
