/// What is known of one avatar on disk: which object it is and all that freshness and revalidation need.
public struct Entry: Hashable, Sendable {
  /// The avatar's identity.
  public var key: CacheKey
  /// The canonical URL that was last fetched with success, query included (at most 4,096 bytes).
  public var source: String
  /// The finished JPEG's hash.
  public var object: ContentHash
  /// The finished JPEG's size in bytes.
  public var objectBytes: Int
  /// What the origin said of it.
  public var metadata: OriginMetadata
  /// When this key last began to answer with these bytes; `Last-Modified` of our answers. Never goes back.
  public var changedAt: UnixTime
  /// Set by a soft purge: stale from this moment on, whatever the metadata says; nil otherwise.
  public var staleSince: UnixTime?

  /// Makes an entry.
  public init(
    key: CacheKey, source: String, object: ContentHash, objectBytes: Int, metadata: OriginMetadata,
    changedAt: UnixTime, staleSince: UnixTime? = nil
  ) {
    self.key = key
    self.source = source
    self.object = object
    self.objectBytes = objectBytes
    self.metadata = metadata
    self.changedAt = changedAt
    self.staleSince = staleSince
  }
}

/// What freshness needs of an origin's answer (RFC 9111), kept as it was said; the rules are applied at look-up.
public struct OriginMetadata: Hashable, Sendable {
  /// Our wall clock when the answer, or the 304 that renewed it, had come.
  public var receivedAt: UnixTime
  /// The answer's age on arrival in seconds (`Age`, `Date` and the exchange's delay), 0 or more.
  public var initialAge: Int64
  /// Freshness lifetime in seconds by s-maxage, max-age or Expires minus Date; nil where the origin said nothing usable.
  public var explicitLifetime: Int64?
  /// Directives that change what may be done with it.
  public var directives: CacheDirectives
  /// Validators to send back.
  public var validators: Validators

  /// Makes metadata.
  public init(
    receivedAt: UnixTime, initialAge: Int64 = 0, explicitLifetime: Int64? = nil, directives: CacheDirectives = [],
    validators: Validators = Validators()
  ) {
    self.receivedAt = receivedAt
    self.initialAge = initialAge
    self.explicitLifetime = explicitLifetime
    self.directives = directives
    self.validators = validators
  }
}

/// `Cache-Control` response directives that the rules look at, as stored bits.
public struct CacheDirectives: OptionSet, Hashable, Sendable {
  /// The stored bits.
  public let rawValue: UInt8
  /// From stored bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  /// `no-store`.
  public static let noStore = Self(rawValue: 1)
  /// `private` (with or without field names).
  public static let isPrivate = Self(rawValue: 2)
  /// `no-cache` (with or without field names), or `Pragma: no-cache` without a `Cache-Control`.
  public static let noCache = Self(rawValue: 4)
  /// `must-revalidate`.
  public static let mustRevalidate = Self(rawValue: 8)
  /// `proxy-revalidate`.
  public static let proxyRevalidate = Self(rawValue: 16)
}

/// The port to the disk. No call throws: a disk that fails is a miss, a store that fails is a metric.
public protocol AvatarStoring: Sendable {
  /// The entry and its object's verified bytes; nil if either is missing or damaged (a damaged object is removed).
  func load(_ key: CacheKey) async -> LoadedAvatar?
  /// The same for a caller without a task of its own: calls `done` once, on any thread; `done` must not block.
  func load(_ key: CacheKey, _ done: @escaping @Sendable (LoadedAvatar?) -> Void)
  /// The verified bytes of an entry's object where that needs neither the disk nor a thread of the store's; nil says nothing of what is there.
  func loadAtOnce(_ entry: Entry) -> FixedBytes?
  /// The verified bytes of an object; nil if it is missing or damaged.
  func object(_ hash: ContentHash) async -> FixedBytes?
  /// Keeps an entry. `object` holds the JPEG, or nil where the entry's object is there already (a renewal); a renewal whose object has gone is `.failed`.
  /// Nothing is stored if a purge that covers the entry came after `begun`.
  func store(_ entry: Entry, object: [UInt8]?, begun: PurgeEpoch) async -> StoreOutcome
  /// Drops one entry; its object goes with its last entry, in the background.
  func remove(_ key: CacheKey) async
  /// Keeps an object from eviction until `until` unless the disk demands it.
  func pin(_ hash: ContentHash, until: UnixTime)
  /// Notes that an entry was used; cheap, batched, lost at a crash.
  func recordUse(_ key: CacheKey)
  /// The present purge epoch: a flight takes it when it begins.
  func epoch() -> PurgeEpoch
  /// Carries out a purge here and announces it to every process on the directory.
  func purge(_ purge: Purge) async -> PurgeResult
  /// Calls `notice` for each purge of any process on the directory, this one's included, within two seconds.
  func observePurges(_ notice: @escaping @Sendable (Purge) -> Void)
  /// Counts for metrics, health and `cache stat`; cheap.
  func statistics() -> StoreStatistics
}

extension AvatarStoring {
  /// A store that always takes its time.
  public func loadAtOnce(_ entry: Entry) -> FixedBytes? { nil }
  /// By a task; a store with threads of its own does without.
  public func load(_ key: CacheKey, _ done: @escaping @Sendable (LoadedAvatar?) -> Void) {
    Task { done(await load(key)) }
  }
}

/// An entry with its object.
public struct LoadedAvatar: Sendable {
  /// The entry.
  public var entry: Entry
  /// The JPEG, verified against its hash.
  public var jpeg: FixedBytes
  /// Makes one.
  public init(entry: Entry, jpeg: FixedBytes) {
    self.entry = entry
    self.jpeg = jpeg
  }
}

/// How a store ended.
public enum StoreOutcome: Sendable, Equatable {
  /// It is on disk.
  case stored
  /// A purge came in between: serve those waiting, keep nothing.
  case purged
  /// The disk or the index would not take it; counted and logged by the store.
  case failed
}

/// A number that grows with every purge on the directory.
public struct PurgeEpoch: Hashable, Comparable, Sendable {
  /// The last purge's number.
  public let value: Int64
  /// From a number.
  public init(_ value: Int64) { self.value = value }
  /// Earlier first.
  public static func < (left: Self, right: Self) -> Bool { left.value < right.value }
}

/// What an operator takes out of the cache.
public struct Purge: Hashable, Sendable {
  /// Which entries.
  public enum Scope: Hashable, Sendable {
    /// These avatars.
    case keys([CacheKey])
    /// Every entry that answers with these bytes, and the object.
    case object(ContentHash)
    /// Every entry whose source's host fits the pattern (`*.example.com` or a name).
    case host(String)
    /// Everything.
    case everything
  }
  /// Which entries.
  public var scope: Scope
  /// Mark stale rather than remove.
  public var soft: Bool
  /// Makes a purge.
  public init(_ scope: Scope, soft: Bool = false) {
    self.scope = scope
    self.soft = soft
  }
}

/// What a purge found.
public struct PurgeResult: Hashable, Sendable {
  /// Entries removed or marked.
  public var entries: Int
  /// Objects removed.
  public var objects: Int
  /// Makes a result.
  public init(entries: Int, objects: Int) {
    self.entries = entries
    self.objects = objects
  }
}

/// The store's counters.
public struct StoreStatistics: Hashable, Sendable {
  /// Entries in the index.
  public var entries: Int
  /// Objects on disk.
  public var objects: Int
  /// Bytes that the file system has allocated for objects.
  public var bytes: Int
  /// Objects evicted by this process since its start.
  public var evictions: Int
  /// Stores that failed since the start.
  public var failures: Int
  /// Objects found damaged since the start.
  public var damaged: Int
  /// False while the directory does not take writes.
  public var isWritable: Bool
  /// Makes counters.
  public init(
    entries: Int = 0, objects: Int = 0, bytes: Int = 0, evictions: Int = 0, failures: Int = 0, damaged: Int = 0,
    isWritable: Bool = true
  ) {
    self.entries = entries
    self.objects = objects
    self.bytes = bytes
    self.evictions = evictions
    self.failures = failures
    self.damaged = damaged
    self.isWritable = isWritable
  }
}
