// The groups of `Configuration`. Each property is the key of the same name; see `ConfigurationKey.all` for meanings.
extension Configuration {
  /// `tls.*`: both files or none.
  public struct TLS: Hashable, Sendable {
    /// PEM, the server's certificate first.
    public var certificateFile: String?
    /// PEM.
    public var keyFile: String?
  }

  /// `cache.*`
  public struct Cache: Hashable, Sendable {
    /// The directory, as it was given; relative to the working directory.
    public var directory = "./avatar-cache"
    /// Objects on disk as the file system allocates them.
    public var maxBytes = 10 << 30
    /// Ready responses in memory; 0 for none.
    public var memoryBytes = 256 << 20
    /// What the scrubber reads in a second; 0 switches it off.
    public var scrubBytesPerSecond = 1 << 20
    /// Look-ups, and changes, that may wait for the disk.
    public var queue = 16_384
  }

  /// `fetch.*`
  public struct Fetch: Sendable {
    /// A flight's whole exchange, redirects included.
    public var totalTimeout: Duration = .seconds(8)
    /// Each connection, look-up and TLS included.
    public var connectTimeout: Duration = .seconds(2)
    /// The longest an origin may send nothing.
    public var idleTimeout: Duration = .seconds(3)
    /// Redirects that are followed; 0 for none.
    public var maxRedirects = 3
    /// Bytes of a source, counted while streaming.
    public var maxBytes = 10 << 20
    /// Exchanges at once.
    public var concurrency = 256
    /// Exchanges at once with one host.
    public var perHostConcurrency = 16
    /// Fetches that may wait for a slot.
    public var queue = 4096
    /// Name look-ups at once.
    public var dnsConcurrency = 32
    /// Hosts that may be fetched from; empty for all.
    public var allowHosts: [HostPattern] = []
    /// Hosts that may not, even if allowed.
    public var denyHosts: [HostPattern] = []
    /// Addresses exempt from the address rules.
    public var allowAddresses: [AddressBlock] = []
    /// Header fields for the hosts of a pattern; secret. Sorted by pattern.
    public var headers: [HostHeaders] = []
    /// The proxy's URL with its credentials, if any: never printed whole.
    public var proxy: String?
    /// `User-Agent`; nil for product and version.
    public var userAgent: String?
  }

  /// One entry of `fetch.headers`.
  public struct HostHeaders: Sendable {
    /// The hosts that get the fields.
    public var hosts: HostPattern
    /// The fields, sorted by name.
    public var fields: [HeaderField]
    /// Makes an entry.
    public init(hosts: HostPattern, fields: [HeaderField]) {
      self.hosts = hosts
      self.fields = fields
    }
  }

  /// `flights.*`
  public struct Flights: Hashable, Sendable {
    /// Flights at once.
    public var maximum = 20_000
    /// Requests that may wait for flights, over all flights.
    public var waiters = 20_000
  }

  /// `image.*`
  public struct Image: Hashable, Sendable {
    /// Side of the square in pixels.
    public var size = 256
    /// JPEG quality to begin with.
    public var quality = 82
    /// The lowest quality tried.
    public var minimumQuality = 60
    /// Quality is lowered while the output is larger.
    public var targetBytes = 13 << 10
    /// 0xRRGGBB, under transparency.
    public var background: UInt32 = 0xFFFFFF
    /// Most pixels of any picture.
    public var maxPixels = 50_000_000
    /// Most pixels of what is decoded whole.
    public var maxPixelsWhole = 30_000_000
  }

  /// `workers.*`
  public struct Workers: Hashable, Sendable {
    /// Whether a worker that cannot be confined may work.
    public enum Confinement: String, CaseIterable, Sendable {
      /// It may not: the service does not become ready.
      case required
      /// It may, and the start says what is missing.
      case preferred
    }
    /// Worker processes; nil for one a core.
    public var count: Int?
    /// Pictures that may wait for a worker.
    public var queue = 256
    /// CPU time of one picture; the wall clock gets twice that.
    public var decodeTimeout: Duration = .seconds(2)
    /// Address space of a worker.
    public var memoryBytes = 768 << 20
    /// Whether confinement is a must.
    public var confinement = Confinement.required
  }

  /// `freshness.*`
  public struct Freshness: Hashable, Sendable {
    /// `freshness.default`: when the origin says nothing.
    public var lifetime: Duration = .seconds(24 * 3600)
    /// The shortest lifetime, whatever the origin says.
    public var minimum: Duration = .seconds(5 * 60)
    /// The longest.
    public var maximum: Duration = .seconds(30 * 86400)
    /// How long past its lifetime an avatar is served at once and refreshed behind.
    public var staleWhileRevalidate: Duration = .seconds(7 * 86400)
    /// How long past its lifetime an avatar is served when the refresh fails.
    public var staleIfError: Duration = .seconds(30 * 86400)
    /// How long before the end of its lifetime a popular avatar may be refreshed ahead, at most; 0 for never.
    public var earlyRefresh: Duration = .seconds(3600)
  }

  /// `negative.*`: how long failures are remembered, by cause.
  public struct Negative: Hashable, Sendable {
    /// 404 and 410.
    public var notFound: Duration = .seconds(3600)
    /// Every 422.
    public var undecodable: Duration = .seconds(3600)
    /// Every 502 and `origin_timed_out`.
    public var unreachable: Duration = .seconds(30)
    /// The most that an origin's `Retry-After` gets.
    public var throttled: Duration = .seconds(3600)
    /// What a throttling origin without `Retry-After` gets.
    public var throttledDefault: Duration = .seconds(60)
    /// Failures remembered at once.
    public var maximumEntries = 100_000
  }

  /// `breaker.*`
  public struct Breaker: Hashable, Sendable {
    /// Failures of a host in a row that open its breaker.
    public var failures = 5
    /// How long it stays open at first.
    public var coolDown: Duration = .seconds(10)
    /// How long it stays open at most; each failed probe doubles.
    public var maximumCoolDown: Duration = .seconds(60)
    /// Failing and throttling hosts that are remembered at once.
    public var maximumHosts = 4096
  }

  /// `payload.*`
  public struct Payload: Hashable, Sendable {
    /// Field → ordered key paths. Holds every field of `fields`.
    public var keys: [String: [String]] = Payload.seeds
    /// Type → what kind of chat it is.
    public var chatTypes: [String: ChatType] = Payload.seedTypes
  }

  /// `prefetch.*`
  public struct Prefetch: Hashable, Sendable {
    /// An object handed out by its hash is not evicted sooner unless the disk demands it.
    public var objectLifetime: Duration = .seconds(24 * 3600)
    /// Prefetched avatars at work at once.
    public var concurrency = 32
    /// Prefetched avatars under way at once.
    public var queue = 4096
  }

  /// `chain.*`
  public struct Chain: Hashable, Sendable {
    /// Sources of one avatar.
    public var maxSources = 4
    /// How long the best source may keep the others waiting.
    public var patience: Duration = .milliseconds(1500)
  }

  /// `log.*`
  public struct Log: Hashable, Sendable {
    /// How a line looks.
    public enum Format: String, CaseIterable, Sendable {
      /// One JSON object a line.
      case json
      /// For people.
      case text
    }
    /// Lines that matter less are left out.
    public var level = LogLevel.info
    /// nil for `text` on a terminal, else `json`.
    public var format: Format?
  }
}
