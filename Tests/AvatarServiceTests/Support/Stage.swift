import AvatarCore
import AvatarCrypto
import AvatarNames
import AvatarService
import Synchronization

/// A wall clock that moves when it is told to.
final class StageClock: WallClock {
  private let time = Mutex(UnixTime(seconds: 1_800_000_000))
  var now: UnixTime { time.withLock { $0 } }
  func advance(_ duration: Duration) { time.withLock { $0 = $0 + duration } }
}

/// An origin whose answers are scripted by URL and which counts what it was asked.
final class StageOrigin: OriginFetching {
  enum Act: Sendable {
    case picture(String, headers: [HeaderField] = [])
    case notModified(headers: [HeaderField] = [])
    case failure(AvatarError)
    /// Waits until `release()`, then goes on as `then`.
    indirect case held(then: Act)
  }
  private struct Script {
    var acts: [String: [Act]] = [:]
    var asked: [String] = []
    var validators: [Validators?] = []
    var waiting: [CheckedContinuation<Void, Never>] = []
    var arrivals: [CheckedContinuation<Void, Never>] = []
    var isReleased = false
  }
  private let script = Mutex(Script())
  let clock: StageClock

  init(clock: StageClock) { self.clock = clock }

  /// One act after the other for a URL; the last one stays.
  func set(_ url: String, _ acts: Act...) { script.withLock { $0.acts[url] = acts } }

  var asked: [String] { script.withLock { $0.asked } }
  var lastValidators: Validators? { script.withLock { $0.validators.last ?? nil } }

  /// Lets all held answers go, those to come too.
  func release() {
    let waiting = script.withLock { script in
      script.isReleased = true
      defer { script.waiting = [] }
      return script.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Returns when somebody waits for a held answer.
  func arrival() async {
    await withCheckedContinuation { continuation in
      let isThere = script.withLock { script in
        guard script.waiting.isEmpty else { return true }
        script.arrivals.append(continuation)
        return false
      }
      if isThere { continuation.resume() }
    }
  }

  func fetch(_ request: OriginRequest) async throws(AvatarError) -> OriginResponse {
    let url = request.url.serialized
    let act = script.withLock { script -> Act? in
      script.asked.append(url)
      script.validators.append(request.validators)
      guard var acts = script.acts[url], let act = acts.first else { return nil }
      if acts.count > 1 { acts.removeFirst() }
      script.acts[url] = acts
      return act
    }
    return try await play(act ?? .failure(AvatarError(.originNotFound, originStatus: 404)), request)
  }

  private func play(_ act: Act, _ request: OriginRequest) async throws(AvatarError) -> OriginResponse {
    switch act {
    case .failure(let error): throw error
    case .picture(let text, let headers): return response(200, headers, Array(text.utf8), request)
    case .notModified(let headers): return response(304, headers, [], request)
    case .held(let next):
      await withCheckedContinuation { continuation in
        let (goesOn, arrivals) = script.withLock { script -> (Bool, [CheckedContinuation<Void, Never>]) in
          if script.isReleased { return (true, []) }
          script.waiting.append(continuation)
          defer { script.arrivals = [] }
          return (false, script.arrivals)
        }
        if goesOn { continuation.resume() }
        for arrival in arrivals { arrival.resume() }
      }
      return try await play(next, request)
    }
  }

  private func response(_ status: Int, _ headers: [HeaderField], _ body: [UInt8], _ request: OriginRequest)
    -> OriginResponse
  {
    OriginResponse(
      status: status, headers: headers, source: SourceBytes(body), finalURL: request.url, redirects: 0,
      requestedAt: clock.now,
      receivedAt: clock.now, elapsed: .milliseconds(1))
  }
}

/// Stands in for the workers: the 'avatar' of some bytes is those bytes behind a mark; `bad…` is damaged.
final class StageNormalizer: AvatarNormalizing {
  private let count = Mutex(0)
  var decoded: Int { count.withLock { $0 } }

  func normalize(
    _ source: SourceBytes, recipe: Recipe, limits: ImageLimits, priority: WorkPriority, deadline: Deadline
  ) async throws(AvatarError) -> NormalizedAvatar {
    count.withLock { $0 += 1 }
    let source = source.bytes
    if source.starts(with: Array("bad".utf8)) { throw AvatarError(.imageCorrupt) }
    return NormalizedAvatar(
      jpeg: Array("jpeg \(recipe.fit.rawValue) ".utf8) + source,
      facts: ImageFacts(format: "png", width: 2, height: 2), queued: .zero, decoded: .milliseconds(1))
  }
}

/// A store in memory that keeps the port's promises.
final class StageStore: AvatarStoring {
  private struct State {
    var entries: [CacheKey: Entry] = [:]
    var objects: [ContentHash: [UInt8]] = [:]
    var purges: [Purge] = []
    var observers: [@Sendable (Purge) -> Void] = []
    var isFull = false
    var looks = 0
    var looksAtOnce = 0
    var isInMemory = true
  }
  private let state = Mutex(State())

  /// How often an object was asked for at once.
  var looksAtOnce: Int { state.withLock { $0.looksAtOnce } }
  /// Whether objects are at hand from now on.
  func setInMemory(_ isInMemory: Bool) { state.withLock { $0.isInMemory = isInMemory } }

  func loadAtOnce(_ entry: Entry) -> FixedBytes? {
    state.withLock { state in
      state.looksAtOnce += 1
      return state.isInMemory ? state.objects[entry.object].map { FixedBytes($0) } : nil
    }
  }

  /// How often an entry was looked for.
  var looks: Int { state.withLock { $0.looks } }

  var entries: [CacheKey: Entry] { state.withLock { $0.entries } }
  /// Whether stores fail from now on.
  func setFull(_ full: Bool) { state.withLock { $0.isFull = full } }

  func load(_ key: CacheKey) async -> LoadedAvatar? {
    state.withLock { state in
      state.looks += 1
      return state.entries[key].flatMap { entry in
        state.objects[entry.object].map { LoadedAvatar(entry: entry, jpeg: FixedBytes($0)) }
      }
    }
  }
  func object(_ hash: ContentHash) async -> FixedBytes? { state.withLock { $0.objects[hash].map { FixedBytes($0) } } }
  func store(_ entry: Entry, object: [UInt8]?, begun: PurgeEpoch) async -> StoreOutcome {
    state.withLock { state in
      if state.isFull { return .failed }
      if state.purges.count > Int(begun.value) { return .purged }
      guard let jpeg = object ?? state.objects[entry.object] else { return .failed }
      state.entries[entry.key] = entry
      state.objects[entry.object] = jpeg
      return .stored
    }
  }
  func remove(_ key: CacheKey) async { state.withLock { $0.entries[key] = nil } }
  func pin(_ hash: ContentHash, until: UnixTime) {}
  func recordUse(_ key: CacheKey) {}
  func epoch() -> PurgeEpoch { PurgeEpoch(Int64(state.withLock { $0.purges.count })) }
  func purge(_ purge: Purge) async -> PurgeResult {
    let (count, observers) = state.withLock { state in
      state.purges.append(purge)
      let covered = state.entries.values.filter { entry in
        switch purge.scope {
        case .keys(let keys): keys.contains(entry.key)
        case .object(let hash): entry.object == hash
        case .host, .everything: true
        }
      }
      for entry in covered {
        if purge.soft {
          state.entries[entry.key]?.staleSince = entry.metadata.receivedAt
        } else {
          state.entries[entry.key] = nil
        }
      }
      return (covered.count, state.observers)
    }
    for observer in observers { observer(purge) }
    return PurgeResult(entries: count, objects: 0)
  }
  func observePurges(_ notice: @escaping @Sendable (Purge) -> Void) { state.withLock { $0.observers.append(notice) } }
  func statistics() -> StoreStatistics { StoreStatistics() }
}

/// A resolver among scripted adapters.
struct Stage {
  let clock = StageClock()
  let origin: StageOrigin
  let normalizer = StageNormalizer()
  let store = StageStore()
  let naming: SourceNaming
  let resolver: AvatarResolver
  let parts: AvatarResolver.Parts
  let settings: AvatarResolver.Settings

  init(rules: [IdentityRule] = [], adjust: (inout AvatarResolver.Settings) -> Void = { _ in }) {
    origin = StageOrigin(clock: clock)
    naming = SourceNaming(rules: IdentityRules(rules), recipe: Recipe(), hashing: OpenSSLHashing())
    parts = AvatarResolver.Parts(
      store: store, origin: origin, normalizer: normalizer, hashing: OpenSSLHashing(), clock: clock, naming: naming)
    var settings = AvatarResolver.Settings()
    settings.earlyRefresh = .zero
    adjust(&settings)
    self.settings = settings
    resolver = AvatarResolver(parts, settings)
  }

  func source(_ url: String, trusted: Bool = true) throws -> AvatarSource {
    naming.source(try SourceURL(parsing: url, names: IDN2Names()), fit: .cover, trusted: trusted)
  }

  func get(_ url: String, trusted: Bool = true, within: Duration = .seconds(10)) async throws -> Answer {
    await resolver.resolve(try source(url, trusted: trusted), Terms(deadline: .after(within)))
  }
}

extension Answer {
  /// The picture's text, or the error's code.
  var text: String {
    switch outcome {
    case .avatar(let avatar, _): String(decoding: avatar.jpeg.bytes.dropFirst("jpeg cover ".utf8.count), as: UTF8.self)
    case .failure(let error, _): error.code.rawValue
    }
  }
}

extension [HeaderField] {
  static func cacheControl(_ value: String, etag: String? = nil) -> Self {
    [HeaderField("cache-control", value)] + (etag.map { [HeaderField("etag", $0)] } ?? [])
  }
}
