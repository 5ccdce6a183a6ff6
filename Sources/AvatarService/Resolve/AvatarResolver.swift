public import AvatarCore

/// Turns a source into an avatar: look up; if stale, serve and refresh behind; if missing, join or lead the flight; answer.
public final class AvatarResolver: Sendable {
  /// The adapters and rules that a resolver works with.
  public struct Parts: Sendable {
    /// The disk.
    public var store: any AvatarStoring
    /// The network.
    public var origin: any OriginFetching
    /// The confined workers.
    public var normalizer: any AvatarNormalizing
    /// SHA-256.
    public var hashing: any Hashing
    /// Wall clock for stored records.
    public var clock: any WallClock
    /// Keys and identity rules.
    public var naming: SourceNaming

    /// Names the parts.
    public init(
      store: any AvatarStoring, origin: any OriginFetching, normalizer: any AvatarNormalizing, hashing: any Hashing,
      clock: any WallClock, naming: SourceNaming
    ) {
      self.store = store
      self.origin = origin
      self.normalizer = normalizer
      self.hashing = hashing
      self.clock = clock
      self.naming = naming
    }
  }

  /// The bounds and rules that come from the configuration.
  public struct Settings: Sendable {
    /// Freshness lifetimes and stale windows.
    public var freshness = FreshnessPolicy()
    /// How long failures are remembered.
    public var negative = NegativePolicy()
    /// Failures remembered at most.
    public var negativeEntries = 100_000
    /// Per-host Retry-After and breaker.
    public var hostHealth = HostHealthLimits()
    /// Bytes of ready avatars in memory.
    public var memoryBytes = 256 << 20
    /// How long a flight goes by what was found on disk before it began.
    public var lookLifetime = Duration.milliseconds(100)
    /// Bytes for what is known of avatars on disk.
    public var entryBytes = 16 << 20
    /// Flights at once at most.
    public var flights = 20_000
    /// Waiters in all at most.
    public var waiters = 20_000
    /// Pixel and CPU bounds of one image.
    public var limits = ImageLimits()
    /// The longest that a flight waits for its worker, queue included.
    public var workLimit = Duration.seconds(30)
    /// How long before they go stale popular avatars may be refreshed, at most; nought for never.
    public var earlyRefresh = Duration.seconds(3600)

    /// The contract's defaults.
    public init() {}
  }

  /// Avatars in memory.
  public let memory: MemoryTier
  let cache: AvatarCache
  let failures: FailureMemory
  let gate: OriginGate
  let flights: FlightTable<CacheKey, Landing>
  /// What is counted of exchanges with origins.
  let figures = FlightFigures()
  private let flight: AvatarFlight
  private let settings: Settings
  /// The longest before the end of its freshness that a popular avatar is refreshed ahead.
  var earlyRefresh: Duration { settings.earlyRefresh }

  /// Makes a resolver and has it follow the purges of every process on the directory.
  public init(_ parts: Parts, _ settings: Settings) {
    self.settings = settings
    memory = MemoryTier(bytes: settings.memoryBytes)
    cache = AvatarCache(
      memory: memory, entries: EntryTier(bytes: settings.entryBytes), store: parts.store, policy: settings.freshness,
      hashing: parts.hashing, clock: parts.clock,
      lookLifetime: settings.lookLifetime)
    failures = FailureMemory(policy: settings.negative, capacity: settings.negativeEntries)
    gate = OriginGate(settings.hostHealth)
    flights = FlightTable(maximumFlights: settings.flights, maximumWaiters: settings.waiters)
    flight = AvatarFlight(
      cache: cache, origin: parts.origin, normalizer: parts.normalizer, gate: gate, failures: failures,
      book: IdentityBook(bytes: 16 << 20), naming: parts.naming, limits: settings.limits,
      workLimit: settings.workLimit, figures: figures)
    parts.store.observePurges { [cache, failures] in Self.follow($0, cache: cache, failures: failures) }
  }

  /// What is in memory for a source, at once and without waiting; nil where the disk or the origin must be asked.
  public func hit(_ source: AvatarSource) -> Answer? {
    memory.lookup(source.key).flatMap { serve($0, source) }
  }

  /// The same from disk, if that needs no waiting either.
  func hitAtOnce(_ source: AvatarSource) -> Answer? {
    cache.loadAtOnce(source.key).flatMap { serve($0, source) }
  }

  /// The avatar's answer where it is fresh, and whether it should be refreshed ahead; nil otherwise.
  func hit(_ avatar: HotAvatar) -> (answer: Answer, isDue: Bool)? {
    let freshness = cache.freshness(of: avatar)
    guard freshness.state == .fresh else { return nil }
    return (Answer(avatar, freshness, .hit(ttl: freshness.freshFor)), isDueAhead(avatar, freshness))
  }

  /// Notes a use of an avatar, and gives the number so far.
  @discardableResult
  func noteUse(of avatar: HotAvatar) -> Int {
    let uses = avatar.use()
    // The disk's own order of use, told now and then: it decides what is evicted, and what a restart finds.
    if uses % 64 == 1, avatar.isOnDisk { cache.store.recordUse(avatar.entry.key) }
    return uses
  }

  /// Notes a use of a fresh avatar, and says whether it should be refreshed before it goes stale.
  private func isDueAhead(_ avatar: HotAvatar, _ freshness: Freshness) -> Bool {
    let uses = noteUse(of: avatar)
    return freshness.isDueAhead(uses: uses, chance: Double.random(in: 0..<1), within: settings.earlyRefresh)
  }

  /// What may be served at once for a source that is not in memory, and the copy that is there in any case. `done` is called once, on a thread of the
  /// store's: most hits from disk need no task.
  func lookupOnDisk(_ source: AvatarSource, _ done: @escaping @Sendable (Answer?, AvatarCache.Look) -> Void) {
    cache.look(source.key) { look in done(look.avatar.flatMap { self.serve($0, source) }, look) }
  }

  /// The answer for one source, by the deadline at the latest.
  public func resolve(_ source: AvatarSource, _ terms: Terms) async -> Answer {
    await resolve(source, terms, lookup(source, ignoringAnswer: terms.refresh))
  }

  /// The same after `lookupOnDisk` found nothing to serve but, perhaps, an old copy.
  func resolve(_ source: AvatarSource, _ terms: Terms, after look: AvatarCache.Look) async -> Answer {
    await resolve(source, terms, (unserved(source, look.avatar), look.avatar, look))
  }

  private func resolve(
    _ source: AvatarSource, _ terms: Terms, _ found: (answer: Answer?, held: HotAvatar?, look: AvatarCache.Look?)
  ) async -> Answer {
    if let answer = found.answer { return answer }
    if terms.onlyIfCached {
      return found.held.flatMap(stale) ?? Answer(AvatarError(.notCached), .miss(detail: .notCached))
    }
    return await join(source, terms, held: found.held, after: found.look)
  }

  /// What can be answered without asking the origin, the copy that is there in any case, and the look that found it if memory did not do.
  func lookup(
    _ source: AvatarSource, ignoringAnswer: Bool = false
  ) async -> (answer: Answer?, held: HotAvatar?, look: AvatarCache.Look?) {
    let held: HotAvatar?
    var look: AvatarCache.Look?
    if let hot = memory.lookup(source.key), ignoringAnswer || isServable(hot) {
      held = hot
    } else {
      look = await cache.look(source.key)
      held = look?.avatar
    }
    if ignoringAnswer { return (nil, held, look) }
    if let answer = held.flatMap({ serve($0, source) }) { return (answer, held, look) }
    return (unserved(source, held), held, look)
  }

  /// What a remembered failure has to say where a copy may not be served at once.
  private func unserved(_ source: AvatarSource, _ held: HotAvatar?) -> Answer? {
    remembered(source).map { failure in isTakenDown(source) ? failure : held.flatMap(stale) ?? failure }
  }

  /// Whether the origin has said that the picture is no more; an old copy that is still around does not count.
  private func isTakenDown(_ source: AvatarSource) -> Bool {
    failures.lookup(source, now: .now)?.error.code == .originNotFound
  }

  private func isServable(_ avatar: HotAvatar) -> Bool {
    switch cache.freshness(of: avatar).state {
    case .fresh, .staleWhileRevalidate: true
    case .staleIfError, .expired: false
    }
  }

  /// Begins a refresh that nobody waits for, unless one is under way.
  func refreshBehind(_ source: AvatarSource, force: Bool = false) {
    _ = flights.leadOrJoin(source.key) { [flight] in await flight.fly(source, priority: .background, force: force) }
  }

  /// The failure remembered for a source, as an answer.
  func remembered(_ source: AvatarSource) -> Answer? {
    failures.lookup(source, now: .now).map { failure in
      Answer(
        failure.error, .hit(ttl: failure.remaining.wholeSeconds, detail: failure.error.code),
        remembered: failure.remaining)
    }
  }

  /// A copy past its revalidation window, where its origin's failure still lets it serve.
  private func stale(_ avatar: HotAvatar) -> Answer? {
    let freshness = cache.freshness(of: avatar)
    guard freshness.state != .expired else { return nil }
    return Answer(avatar, freshness, .hit(ttl: freshness.freshFor))
  }

  /// What may be served at once: fresh, or stale with a refresh behind.
  private func serve(_ avatar: HotAvatar, _ source: AvatarSource) -> Answer? {
    let freshness = cache.freshness(of: avatar)
    switch freshness.state {
    case .fresh:
      if isDueAhead(avatar, freshness) { refreshBehind(source, force: true) }
    case .staleWhileRevalidate:
      guard let failure = failures.lookup(source, now: .now) else {
        refreshBehind(source)
        break
      }
      if failure.error.code == .originNotFound { return nil }
    case .staleIfError, .expired: return nil
    }
    return Answer(avatar, freshness, .hit(ttl: freshness.freshFor))
  }

  private func join(
    _ source: AvatarSource, _ terms: Terms, held: HotAvatar?, after look: AvatarCache.Look?
  ) async -> Answer {
    let usable = held.flatMap(stale)
    var tries = 0
    while true {
      tries += 1
      let result = await flights.join(source.key, deadline: terms.deadline) { [flight] in
        await flight.fly(source, priority: terms.priority, force: terms.refresh, after: look)
      }
      switch result {
      case .landed(let landing, let role):
        // Another URL of this identity was asked, or a flight without force found a fresh copy: neither answers this request.
        if tries < 3, role == .joined, !answers(landing, source, terms) { continue }
        return answer(landing, role: role, held: held, usable: usable)
      case .deadlinePassed(let role):
        return usable ?? unanswered(AvatarError(.budgetExceeded), held: held, collapsed: role == .joined)
      case .refused:
        return usable ?? unanswered(AvatarError(.overloaded, retryAfter: .seconds(1)), held: held, collapsed: false)
      }
    }
  }

  private func unanswered(_ error: AvatarError, held: HotAvatar?, collapsed: Bool) -> Answer {
    Answer(
      error,
      .forwarded(
        held == nil ? .uriMiss : .stale, status: nil, stored: false, collapsed: collapsed, detail: error.code))
  }

  private func answers(_ landing: Landing, _ source: AvatarSource, _ terms: Terms) -> Bool {
    switch landing.result {
    case .success: !terms.refresh || landing.origin != nil
    case .failure(let error): !NegativePolicy.isForExactURL(error) || landing.exactKey == source.exactKey
    }
  }

  private func answer(_ landing: Landing, role: FlightRole, held: HotAvatar?, usable: Answer?) -> Answer {
    let collapsed = role == .joined
    switch landing.result {
    case .success(let avatar):
      let freshness = cache.freshness(of: avatar)
      guard let origin = landing.origin else { return Answer(avatar, freshness, .hit(ttl: freshness.freshFor)) }
      let status: CacheStatus = .forwarded(
        held == nil ? .uriMiss : .stale, status: origin.status, stored: landing.stored, collapsed: collapsed)
      return Answer(avatar, freshness, status, origin: origin)
    case .failure(let error):
      let forwarded: CacheStatus = .forwarded(
        held == nil ? .uriMiss : .stale, status: landing.origin?.status, stored: false, collapsed: collapsed,
        detail: error.code)
      if error.code != .originNotFound, var stale = usable {
        stale.cacheStatus = forwarded
        stale.origin = landing.origin
        return stale
      }
      let remaining = landing.rememberedUntil.map { max(.zero, $0 - .now) }
      return Answer(error, forwarded, remembered: remaining, origin: landing.origin)
    }
  }
}
