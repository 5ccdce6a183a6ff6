import AvatarCore

/// What `inspect` found, with the keys of its JSON.
public struct Inspection: Encodable, Sendable {
  /// One step of the fetch.
  public struct Step: Encodable, Sendable {
    /// `address`, `connect`, `tls`, `hop`, `body` or `error`.
    public var step: String
    /// Milliseconds since the start of the fetch.
    public var atMilliseconds: Double
    /// Facts by name.
    public var facts: [String: String]

    init(_ step: FetchStep) {
      self.step = step.kind
      let (seconds, attoseconds) = step.at.components
      atMilliseconds = Double(seconds) * 1000 + Double(attoseconds / 1_000_000_000_000) / 1000
      facts = Dictionary(
        step.facts.map { ($0.name, Self.shown($0.value, of: $0.name)) }, uniquingKeysWith: { "\($0), \($1)" })
    }

    /// A value that may be shown: of a Location no user information, query or fragment, and nothing without end.
    private static func shown(_ value: String, of name: String) -> String {
      var text = value
      if name == "location" || name == "url" {
        text = String(text.prefix { $0 != "?" && $0 != "#" })
        if let slashes = text.firstRange(of: "//") {
          let authority = text[slashes.upperBound...].prefix { $0 != "/" && $0 != "\\" }
          if let sign = authority.lastIndex(of: "@") { text.replaceSubrange(slashes.upperBound..<sign, with: "…") }
        }
      }
      return text.utf8.count > 512 ? String(text.prefix(512)) + "…" : text
    }
  }

  /// What the picture's own header claims; read before anything is decoded, and there even where decoding fails.
  public struct HeaderPart: Encodable, Sendable {
    var format: String
    var width: Int
    var height: Int
    var frames: Int
    var orientation: Int
    /// Whether the lower pixel limit applies.
    var isDecodedWhole: Bool

    init?(_ source: [UInt8], _ limits: ImageLimits) {
      // An SVG's size is known only once it is drawn, which is the worker's to do.
      guard let format = ImageFormat(sniffing: source), format != .svg,
        let header = try? ImageHeader(of: source, limits: limits)
      else { return nil }
      self.format = header.format.rawValue
      width = header.width
      height = header.height
      frames = header.frames
      orientation = header.orientation
      isDecodedWhole = header.isDecodedWhole
    }

    init(_ facts: ImageFacts, isDecodedWhole: Bool) {
      format = facts.format
      width = facts.width
      height = facts.height
      frames = facts.frames
      orientation = facts.orientation
      self.isDecodedWhole = isDecodedWhole
    }
  }

  /// What the worker saw and made.
  public struct ImagePart: Encodable, Sendable {
    var format: String
    var width: Int
    var height: Int
    var orientation: Int
    var usedProfile: Bool
    var hasAlpha: Bool
    var frames: Int
    var sourceBytes: Int
    var bytes: Int
    var side: Int
    var quality: Int
    var queuedMilliseconds: Int64
    var decodeMilliseconds: Int64

    init(_ avatar: NormalizedAvatar, side: Int, sourceBytes: Int) {
      format = avatar.facts.format
      width = avatar.facts.width
      height = avatar.facts.height
      orientation = avatar.facts.orientation
      usedProfile = avatar.facts.usedProfile
      hasAlpha = avatar.facts.hasAlpha
      frames = avatar.facts.frames
      self.sourceBytes = sourceBytes
      bytes = avatar.jpeg.count
      self.side = side
      quality = avatar.facts.quality
      queuedMilliseconds = avatar.queued.milliseconds
      decodeMilliseconds = avatar.decoded.milliseconds
    }
  }

  /// How long it may be kept and why.
  public struct FreshnessPart: Encodable, Sendable {
    /// One sentence.
    var why: String
    var cacheControl: [String]
    var originLifetimeSeconds: Int64?
    var ageSeconds: Int64
    var freshForSeconds: Int64
    var staleWhileRevalidateSeconds: Int64
    var staleIfErrorSeconds: Int64
    var mayBeKeptByOthers: Bool

    init(_ metadata: OriginMetadata, _ freshness: Freshness, policy: FreshnessPolicy, cacheControl: [String]) {
      why =
        FreshnessReason(
          metadata: metadata, cacheControl: CacheControl(cacheControl), policy: policy, freshness: freshness
        ).text
      self.cacheControl = cacheControl
      originLifetimeSeconds = metadata.explicitLifetime
      ageSeconds = metadata.initialAge
      freshForSeconds = freshness.freshFor
      staleWhileRevalidateSeconds = freshness.staleWhileRevalidateFor
      staleIfErrorSeconds = freshness.staleIfErrorFor
      mayBeKeptByOthers = freshness.maySpread
    }
  }

  /// The URL as it was read, without its query.
  public var source: String
  /// Its cache key, 64 hexadecimal digits.
  public var key: String
  /// `cover` or `contain`.
  public var fit: String
  /// The hosts of the identity rule that applies; nil without one.
  public var identityRule: String?
  /// What a GET would answer now.
  public var answerNow: String
  /// One sentence on what came of it.
  public var summary = ""
  /// The contract's error code; nil where there is a picture.
  public var code: String?
  /// The origin's status where it was an error.
  public var originStatus: Int?
  /// The declared `Content-Type`.
  public var declaredType: String?
  /// What the first bytes look like, whatever was declared.
  public var foundType: String?
  /// Bytes of the source.
  public var sourceBytes: Int?
  /// What the picture's header claims.
  public var header: HeaderPart?
  /// The steps of the fetch.
  public var steps: [Step] = []
  /// What the worker saw and made.
  public var image: ImagePart?
  /// Freshness and why.
  public var freshness: FreshnessPart?
  /// The finished avatar's hash.
  public var sha256: String?
  /// The finished avatar as a data URI.
  public var avatar: String?
  /// Whether it was stored (POST only).
  public var stored: Bool?
  /// The whole inspection.
  public var elapsedMilliseconds: Double = 0

  init(source: String, key: String, fit: String, identityRule: String?, answerNow: String) {
    self.source = source
    self.key = key
    self.fit = fit
    self.identityRule = identityRule
    self.answerNow = answerNow
  }

  /// Notes what came, before it is decoded.
  mutating func note(_ response: OriginResponse, _ limits: ImageLimits) {
    declaredType = response.values(of: "content-type").first.map { String($0.prefix(128)) }
    let source = response.source.bytes
    foundType = SourceKind.name(of: source)
    sourceBytes = source.count
    header = HeaderPart(source, limits)
  }
}
