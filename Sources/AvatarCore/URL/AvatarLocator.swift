/// What an avatar URL names: one to four sources, best first, and how the picture meets the square. (Contract, section 4.)
public struct AvatarLocator: Hashable, Sendable {
  /// The most sources that a chain may have.
  public static let maximumSources = 4

  /// Best first, at least one.
  public var sources: [SourceURL]
  /// Crop or whole picture.
  public var fit: Fit

  /// Makes a locator of one to four sources.
  public init(sources: [SourceURL], fit: Fit) {
    self.sources = sources
    self.fit = fit
  }

  /// Decodes the `{sources}` of an avatar URL: unpadded base64url of lines (`\n` between them, none at the end), an optional
  /// `fit=contain`, then the sources. A line `fit=cover` is refused like any other that is no URL: its absence says so already.
  ///
  /// Throws `invalid_request` for other base64 and for no line at all, `too_many_sources`, `invalid_source_url`.
  public init(
    decoding segment: some StringProtocol, names: any InternationalNames, maximumSources: Int = Self.maximumSources
  ) throws(AvatarError) {
    guard let text = Base64URL.decode(segment) else { throw AvatarError(.invalidRequest, "sources: not base64url") }
    guard !text.isEmpty else { throw AvatarError(.invalidRequest, "sources: empty") }
    var lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)[...]
    var fit = Fit.cover
    if let first = lines.first, first.elementsEqual(Self.containLine.utf8) {
      fit = .contain
      lines = lines.dropFirst()
    }
    try self.init(texts: lines, fit: fit, names: names, maximumSources: maximumSources)
  }

  /// Reads the query of `/avatar?src=…[&src=…][&fit=contain|cover]`; other parameters are ignored.
  ///
  /// Values are percent-decoded, and `+` stays `+`: a valid source URL never holds a blank but may hold a `+`, and not every
  /// client encodes it. Throws `invalid_request` for no `src`, a bad `%`, or a `fit` that is unknown or given twice;
  /// `too_many_sources`, `invalid_source_url`.
  public init(
    query: String, names: any InternationalNames, maximumSources: Int = Self.maximumSources
  ) throws(AvatarError) {
    var texts: [[UInt8]] = []
    var fit: Fit?
    for parameter in QueryParameter.all(in: query) {
      if parameter.name == "src" {
        guard let text = PercentCoding.decode(parameter.value) else {
          throw AvatarError(.invalidRequest, "src: bad percent-encoding")
        }
        texts.append(text)
      } else if parameter.name == "fit" {
        guard fit == nil, let given = Fit(rawValue: String(parameter.value)) else {
          throw AvatarError(.invalidRequest, "fit: neither cover nor contain, or given twice")
        }
        fit = given
      }
    }
    try self.init(texts: texts, fit: fit ?? .cover, names: names, maximumSources: maximumSources)
  }

  /// The `{sources}` that decodes to this locator: the same for every spelling of the same sources.
  public var segment: String {
    let lines = (fit == .contain ? [Self.containLine] : []) + sources.map(\.serialized)
    return Base64URL.encode(Array(lines.joined(separator: "\n").utf8))
  }

  private static let containLine = "fit=contain"

  private init(
    texts: some Collection<some Collection<UInt8>>, fit: Fit, names: any InternationalNames, maximumSources: Int
  ) throws(AvatarError) {
    guard !texts.isEmpty else { throw AvatarError(.invalidRequest, "no source") }
    guard texts.count <= maximumSources else { throw AvatarError(.tooManySources, "\(texts.count) sources") }
    var sources: [SourceURL] = []
    for text in texts { sources.append(try SourceURL(parsingBytes: text, names: names)) }
    self.init(sources: sources, fit: fit)
  }
}
