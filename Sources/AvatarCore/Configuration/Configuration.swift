/// Every setting of the service, typed and within its bounds. `Configuration()` is the defaults.
///
/// What a setting means, how it is written and what is allowed stands once, in `ConfigurationKey.all`.
public struct Configuration: Sendable {
  /// `listen`: the public side.
  public var listen = ListenAddress(address: .v4(0x7F00_0001), port: 8080)
  /// `controlListen`: the control side.
  public var controlListen = ListenAddress(address: .v4(0x7F00_0001), port: 8081)
  /// `publicBaseURL` as it was given, without a slash at the end; `baseURL(boundPort:)` says what applies.
  public var publicBaseURL: String?
  /// The signing keys, each at least 16 bytes; the first signs, all verify. From `signingKeys` or `signingKeysFile`.
  public var signingKeys: [[UInt8]] = []
  /// `signingKeysFile`.
  public var signingKeysFile: String?
  /// `allowUnsigned` as it was given; `allowsUnsigned` says what applies.
  public var allowUnsigned: Bool?
  /// The control side's bearer tokens. From `controlTokens` or `controlTokensFile`.
  public var controlTokens: [String] = []
  /// `controlTokensFile`.
  public var controlTokensFile: String?
  /// `requestBudget`: the longest any avatar request waits for an answer.
  public var requestBudget: Duration = .seconds(4)
  /// `idleTimeout`: of keep-alive connections.
  public var idleTimeout: Duration = .seconds(75)
  /// `requestTimeout`: of a request that arrives slowly.
  public var requestTimeout: Duration = .seconds(10)
  /// `responseTimeout`: of a client that reads slowly.
  public var responseTimeout: Duration = .seconds(30)
  /// `maxConnections`: further ones are refused.
  public var maxConnections = 10_000
  /// `drainDelay`: how long to go on accepting after `/readyz` fails.
  public var drainDelay: Duration = .zero

  /// `tls.*`
  public var tls = TLS()
  /// `cache.*`
  public var cache = Cache()
  /// `fetch.*`
  public var fetch = Fetch()
  /// `flights.*`
  public var flights = Flights()
  /// `image.*`
  public var image = Image()
  /// `workers.*`
  public var workers = Workers()
  /// `freshness.*`
  public var freshness = Freshness()
  /// `negative.*`
  public var negative = Negative()
  /// `breaker.*`
  public var breaker = Breaker()
  /// `identity`: the operator's own rules only; `identityRules` has the defaults behind them.
  public var identity: [IdentityRule] = []
  /// `payload.*`
  public var payload = Payload()
  /// `prefetch.*`
  public var prefetch = Prefetch()
  /// `chain.*`
  public var chain = Chain()
  /// `log.*`
  public var log = Log()

  /// The defaults.
  public init() {}
}

extension Configuration {
  /// Whether unsigned avatar URLs are served: as `allowUnsigned` says, else only without a key and on loopback.
  public var allowsUnsigned: Bool { allowUnsigned ?? (signingKeys.isEmpty && listen.isLoopback) }

  /// Whether the public side speaks HTTPS.
  public var servesTLS: Bool { tls.certificateFile != nil && tls.keyFile != nil }

  /// The start of every URL that the service hands out, without a slash at the end. `boundPort` is the port that the
  /// public side got, which `listen` leaves open where its port is 0.
  public func baseURL(boundPort: UInt16) -> String {
    if let publicBaseURL { return publicBaseURL }
    let isDefault = boundPort == (servesTLS ? 443 : 80)
    return "\(servesTLS ? "https" : "http")://\(listen.host)" + (isDefault ? "" : ":\(boundPort)")
  }

  /// The identity rules that apply: the operator's, then the defaults.
  public var identityRules: IdentityRules { IdentityRules(identity + IdentityRules.defaults) }

  /// Which addresses may be connected to.
  public var addressPolicy: AddressPolicy { AddressPolicy(allowing: fetch.allowAddresses) }

  /// Which hosts may be fetched from.
  public var hostPolicy: HostPolicy { HostPolicy(allowing: fetch.allowHosts, denying: fetch.denyHosts) }

  /// What `image.*` makes of a picture.
  public func recipe(fit: Fit) -> Recipe {
    Recipe(
      size: image.size, quality: image.quality, minimumQuality: image.minimumQuality, targetBytes: image.targetBytes,
      background: image.background, fit: fit)
  }

  /// What a picture may cost. What is decoded whole is never allowed more than the rest.
  public var imageLimits: ImageLimits {
    ImageLimits(
      maxPixels: image.maxPixels, maxPixelsWhole: min(image.maxPixelsWhole, image.maxPixels),
      decodeTimeout: workers.decodeTimeout)
  }
}
