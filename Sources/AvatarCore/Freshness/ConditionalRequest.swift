/// A client's `If-None-Match` and `If-Modified-Since`, weighed as RFC 9110 sections 13.1 and 13.2.2 say. For GET and HEAD.
///
/// `If-Match`, `If-Unmodified-Since` and `Range` are ignored by contract. Never allocates, whatever the client sends.
public struct ConditionalRequest: Sendable {
  private let ifNoneMatch: String?
  private let ifModifiedSince: String?

  /// Takes the field values as they came, repeated lines joined with `, `; nil where the field is absent.
  public init(ifNoneMatch: String?, ifModifiedSince: String?) {
    self.ifNoneMatch = ifNoneMatch
    self.ifModifiedSince = ifModifiedSince
  }

  /// Whether the answer is a 304, given our `etag` (with its quotes, strong or weak) and our `Last-Modified` if the answer has one.
  ///
  /// `If-None-Match` decides alone wherever it is present, garbage included: tags compare weakly, members that are no entity tags
  /// match nothing, `*` matches. Else `If-Modified-Since` decides, whole seconds; one that is no date is ignored.
  public func isNotModified(etag: String, lastModified: UnixTime?, now: @autoclosure () -> UnixTime) -> Bool {
    if let ifNoneMatch {
      return ifNoneMatch == etag || Self.list(ifNoneMatch, matches: etag)
    }
    guard let lastModified, let ifModifiedSince, let since = HTTPDate.parse(ifModifiedSince, now: now()) else {
      return false
    }
    return lastModified.seconds <= since.seconds
  }

  private static func list(_ list: String, matches etag: String) -> Bool {
    let wanted = opaqueTag(of: etag)
    var scanner = ByteScanner(list)
    scanner.take { $0.isBlank }
    if scanner.take(UInt8(ascii: "*")) {
      scanner.take { $0.isBlank }
      return scanner.isAtEnd
    }
    while !scanner.isAtEnd {
      scanner.take { $0.isBlank || $0 == .comma }
      if scanner.take(UInt8(ascii: "W")) && !scanner.take(UInt8(ascii: "/")) {
        scanner.take { $0 != .comma }
        continue
      }
      if scanner.take(.quote) {
        // An entity tag knows no escapes: a backslash is a byte like any other.
        let tag = scanner.take { $0 != .quote }
        let isClosed = scanner.take(.quote)
        scanner.take { $0.isBlank }
        if isClosed, scanner.isAtEnd || scanner.next == .comma, tag.elementsEqual(wanted) { return true }
      }
      scanner.take { $0 != .comma }
    }
    return false
  }

  /// What is between the quotes of our own tag.
  private static func opaqueTag(of etag: String) -> Substring.UTF8View {
    var scanner = ByteScanner(etag)
    if scanner.take(UInt8(ascii: "W")) { _ = scanner.take(UInt8(ascii: "/")) }
    _ = scanner.take(.quote)
    return scanner.take { $0 != .quote }
  }
}
