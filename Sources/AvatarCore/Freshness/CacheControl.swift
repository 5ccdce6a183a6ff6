/// `Cache-Control` of a response or a request, read so that nonsense can only make a life shorter (RFC 9111 section 5.2).
///
/// Names count in any case, unknown directives are passed over, arguments may be quoted, `no-cache="x"` counts as `no-cache`.
/// A repeated number counts as its smallest value, one that is no number as 0 (section 4.2.1), one too large as 2³¹ (section 1.2.2).
/// A quote that is never closed hides nothing behind it.
public struct CacheControl: Hashable, Sendable {
  /// The directives that the rules look at.
  public private(set) var directives: CacheDirectives = []
  /// `max-age` in seconds; nil without one.
  public private(set) var maxAge: Int64?
  /// `s-maxage` in seconds; nil without one.
  public private(set) var sharedMaxAge: Int64?
  /// `only-if-cached` of a request.
  public private(set) var isOnlyIfCached = false

  /// Reads the values of all field lines, in order.
  public init(_ values: [String]) {
    for value in values { read(value) }
  }

  /// The lifetime in seconds that a shared cache goes by: `s-maxage`, else `max-age`; nil without either.
  public var lifetime: Int64? { sharedMaxAge ?? maxAge }

  private mutating func read(_ value: String) {
    var scanner = ByteScanner(value)
    while !scanner.isAtEnd {
      scanner.take { $0.isBlank || $0 == .comma }
      let name = scanner.take { $0.isTokenByte }
      scanner.take { $0.isBlank }
      var argument: Substring.UTF8View?
      if scanner.take(UInt8(ascii: "=")) {
        scanner.take { $0.isBlank }
        argument = scanner.takeQuoted() ?? scanner.take { $0 != .comma && !$0.isBlank && $0 != .quote }
      }
      scanner.take { $0.isBlank }
      let rubbish = scanner.take { $0 != .comma }
      apply(name, rubbish.isEmpty ? argument : nil)
    }
  }

  private mutating func apply(_ name: Substring.UTF8View, _ argument: Substring.UTF8View?) {
    switch name.count {
    case 7:
      if name.equalsIgnoringCase("max-age") { Self.restrict(&maxAge, to: argument) }
      if name.equalsIgnoringCase("private") { directives.insert(.isPrivate) }
    case 8:
      if name.equalsIgnoringCase("s-maxage") { Self.restrict(&sharedMaxAge, to: argument) }
      if name.equalsIgnoringCase("no-store") { directives.insert(.noStore) }
      if name.equalsIgnoringCase("no-cache") { directives.insert(.noCache) }
    case 14:
      if name.equalsIgnoringCase("only-if-cached") { isOnlyIfCached = true }
    case 15:
      if name.equalsIgnoringCase("must-revalidate") { directives.insert(.mustRevalidate) }
    case 16:
      if name.equalsIgnoringCase("proxy-revalidate") { directives.insert(.proxyRevalidate) }
    default:
      break
    }
  }

  private static func restrict(_ seconds: inout Int64?, to argument: Substring.UTF8View?) {
    let said = argument.flatMap(DeltaSeconds.parse) ?? 0
    seconds = min(seconds ?? said, said)
  }
}
