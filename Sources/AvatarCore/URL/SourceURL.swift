/// A source URL that passed the one parser; what it holds is what is fetched. (Contract, section 3.)
///
/// Scheme and host are in lower case, the host is ASCII, a default port and the fragment are gone, and every byte that
/// RFC 3986 does not allow in a path or query is percent-encoded. Everything else of path and query stays byte for byte,
/// dot segments too. Two values are equal exactly if their canonical texts are, and parsing a canonical text gives itself.
public struct SourceURL: Hashable, Sendable {
  /// The most bytes that a URL may have, as given and as canonical text.
  public static let maximumBytes = 4096

  /// `http` or `https`.
  public let scheme: Scheme
  /// A name or a literal address.
  public let host: Host
  /// 1…65535; the scheme's default where the URL names none.
  public let port: UInt16
  /// Begins with `/`; the query follows its `?`. ASCII.
  public let pathAndQuery: String
  /// The canonical absolute URL, at most `maximumBytes` of ASCII; exactly what libcurl gets.
  public let serialized: String

  /// Parses an absolute URL. Blanks (U+0020) around it are left out.
  ///
  /// Throws `invalid_source_url`; the detail says why and holds nothing of the URL.
  public init(parsing text: some StringProtocol, names: any InternationalNames) throws(AvatarError) {
    try self.init(parsingBytes: text.utf8, names: names)
  }

  /// Parses an absolute URL from bytes that need not be UTF-8 (in the host they must be).
  ///
  /// Throws `invalid_source_url`; the detail says why and holds nothing of the URL.
  public init(parsingBytes bytes: some Collection<UInt8>, names: any InternationalNames) throws(AvatarError) {
    let reference = try URLReference(bytes)
    guard let scheme = reference.scheme else { throw Self.invalid("no scheme: not an absolute URL") }
    guard let authority = reference.authority else { throw Self.invalid("no host") }
    try self.init(
      scheme: scheme, authority: URLAuthority(authority, defaultPort: scheme.defaultPort, names: names),
      path: reference.path, query: reference.query)
  }

  /// The URL that an origin's `Location` means (RFC 3986 section 5.2: reference resolution, dot segments removed), by the
  /// same parser. The fragment of neither counts.
  ///
  /// Throws `origin_redirect` for a `Location` that is empty or leads to what is not a source URL: that is the origin's
  /// fault, not the caller's.
  public func redirected(
    to location: some Collection<UInt8>, names: any InternationalNames
  ) throws(AvatarError) -> SourceURL {
    do {
      return try resolved(URLReference(location), names: names)
    } catch {
      throw AvatarError(.originRedirect, "Location: \(error.detail)")
    }
  }

  /// Whether the port is the scheme's own.
  public var hasDefaultPort: Bool { port == scheme.defaultPort }

  /// `scheme://host[:port]/path`: what may stand in a log.
  public var withoutQuery: String {
    let bytes = serialized.utf8
    guard let mark = bytes.firstIndex(of: UInt8(ascii: "?")) else { return serialized }
    return String(serialized[..<mark])
  }

  /// Equal exactly if the canonical texts are.
  public static func == (left: Self, right: Self) -> Bool { left.serialized == right.serialized }

  /// Hashes the canonical text.
  public func hash(into hasher: inout Hasher) { hasher.combine(serialized) }

  /// What every refusal of the parser looks like.
  static func invalid(_ detail: StaticString) -> AvatarError { AvatarError(.invalidSourceURL, "\(detail)") }

  private init(
    scheme: Scheme, authority: URLAuthority, path: ArraySlice<UInt8>, query: ArraySlice<UInt8>?
  ) throws(AvatarError) {
    var target: [UInt8] = []
    target.reserveCapacity(path.count + (query?.count ?? 0) + 2)
    if path.first != UInt8(ascii: "/") { target.append(UInt8(ascii: "/")) }
    try PercentCoding.append(path, to: &target)
    if let query {
      target.append(UInt8(ascii: "?"))
      try PercentCoding.append(query, to: &target)
    }
    self.scheme = scheme
    host = authority.host
    port = authority.port
    pathAndQuery = String(decoding: target, as: UTF8.self)
    let explicitPort = port == scheme.defaultPort ? "" : ":\(port)"
    serialized = "\(scheme.rawValue)://\(host.text)\(explicitPort)\(pathAndQuery)"
    guard serialized.utf8.count <= Self.maximumBytes else { throw Self.invalid("longer than 4,096 bytes") }
  }

  private func resolved(_ reference: URLReference, names: any InternationalNames) throws(AvatarError) -> SourceURL {
    guard !reference.isEmpty else { throw Self.invalid("empty") }
    if reference.scheme != nil || reference.authority != nil {
      guard let authority = reference.authority else { throw Self.invalid("no host") }
      let scheme = reference.scheme ?? scheme
      return try SourceURL(
        scheme: scheme, authority: URLAuthority(authority, defaultPort: scheme.defaultPort, names: names),
        path: DotSegments.removed(from: reference.path), query: reference.query)
    }
    let base = Array(pathAndQuery.utf8)
    let pathEnd = base.firstIndex(of: UInt8(ascii: "?")) ?? base.endIndex
    let basePath = base[..<pathEnd]
    let baseQuery = pathEnd < base.endIndex ? base[(pathEnd + 1)...] : nil
    let path: ArraySlice<UInt8>
    let query: ArraySlice<UInt8>?
    if reference.path.isEmpty {
      path = basePath
      query = reference.query ?? baseQuery
    } else if reference.path.first == UInt8(ascii: "/") {
      path = DotSegments.removed(from: reference.path)
      query = reference.query
    } else {
      let directoryEnd = basePath.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? basePath.startIndex
      path = DotSegments.removed(from: basePath[..<directoryEnd] + reference.path)
      query = reference.query
    }
    return try SourceURL(
      scheme: scheme, authority: URLAuthority(host: host, port: port), path: path, query: query)
  }
}
