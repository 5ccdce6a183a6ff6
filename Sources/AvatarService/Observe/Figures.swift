import AvatarCore
import Synchronization

/// All numbers of the service in one place: what it counted itself, and what its adapters say when asked.
public final class Figures: Sendable {
  /// What the worker pool says of itself.
  public struct Workers: Codable, Sendable {
    /// Workers up and at work now.
    public var busy: Int
    /// Workers up.
    public var up: Int
    /// Workers wanted.
    public var count: Int
    /// Pictures waiting.
    public var queued: Int
    /// Restarts since the start by reason.
    public var restarts: [String: Int]
    /// Names the numbers.
    public init(busy: Int, up: Int, count: Int? = nil, queued: Int, restarts: [String: Int]) {
      self.busy = busy
      self.up = up
      self.count = count ?? up
      self.queued = queued
      self.restarts = restarts
    }
  }
  /// What the fetcher says of itself.
  public struct Fetches: Codable, Sendable {
    /// Exchanges under way.
    public var inFlight: Int
    /// Fetches that wait for a slot.
    public var queued: Int
    /// Names the numbers.
    public init(inFlight: Int, queued: Int) {
      self.inFlight = inFlight
      self.queued = queued
    }
  }
  /// The most that the tiers of the cache may hold, in bytes.
  public struct Capacity: Sendable {
    /// `cache.memoryBytes`.
    public var memory: Int
    /// `cache.maxBytes`.
    public var disk: Int
    /// Names the bounds.
    public init(memory: Int, disk: Int) {
      self.memory = memory
      self.disk = disk
    }
  }

  let metrics: Metrics
  let resolver: AvatarResolver
  let version: String
  let workers: @Sendable () -> Workers
  let fetches: @Sendable () -> Fetches
  let connections: @Sendable () -> Int
  let pendingPrefetches: @Sendable () -> Int
  let capacity: Capacity?
  let started: UnixTime
  private let history: Mutex<FigureHistory>

  /// Reads from these when asked.
  public init(
    metrics: Metrics, resolver: AvatarResolver, prefetcher: Prefetcher, version: String, capacity: Capacity? = nil,
    workers: @escaping @Sendable () -> Workers, fetches: @escaping @Sendable () -> Fetches,
    connections: @escaping @Sendable () -> Int
  ) {
    self.metrics = metrics
    self.resolver = resolver
    self.version = version
    self.capacity = capacity
    self.workers = workers
    self.fetches = fetches
    self.connections = connections
    pendingPrefetches = { prefetcher.pending }
    started = resolver.cache.clock.now
    history = Mutex(FigureHistory(Self.sample(metrics, resolver, at: .now)))
  }

  /// What `/v1/stats` shows. Each look is remembered for a while, so that the next one knows what has happened since.
  func snapshot(at now: ContinuousClock.Instant = .now) -> StatsSnapshot {
    let memory = resolver.memory.statistics
    let disk = resolver.cache.store.statistics()
    let hosts = resolver.gate.statistics
    let sample = Self.sample(metrics, resolver, at: now)
    let change = history.withLock { $0.look(sample) }
    var errors: [String: Int] = [:]
    for (index, code) in AvatarError.Code.allCases.enumerated() where metrics.errors[index] > 0 {
      errors[code.rawValue] = metrics.errors[index]
    }
    return StatsSnapshot(
      version: version, uptimeSeconds: (resolver.cache.clock.now - started).wholeSeconds, live: live(change),
      routes: routes(sample.durations), hitRatio: hitRatio(sample.durations),
      memory: .init(
        objects: memory.count, bytes: memory.bytes, capacityBytes: capacity?.memory, evictions: memory.evictions),
      disk: .init(
        objects: disk.objects, bytes: disk.bytes, capacityBytes: capacity?.disk, evictions: disk.evictions),
      diskEntries: disk.entries, diskWritable: disk.isWritable, workers: workers(), fetches: fetches(),
      connections: connections(), pendingPrefetches: pendingPrefetches(), rememberedFailures: resolver.failures.count,
      hostsThrottled: hosts.throttled, breakersOpen: hosts.open, errors: errors,
      failures: resolver.figures.recentFailures.reversed().map { StatsSnapshot.Failure($0) })
  }

  /// Prometheus text (version 0.0.4).
  func prometheus() -> String { PrometheusText(self).text }

  func histogram(_ route: Route, _ use: Metrics.CacheUse) -> Histogram {
    metrics.durations[Metrics.index(route, use)]
  }

  private static func sample(_ metrics: Metrics, _ resolver: AvatarResolver, at now: ContinuousClock.Instant)
    -> FigureHistory.Sample
  {
    FigureHistory.Sample(at: now, durations: metrics.durations.map(\.counts), fetches: resolver.figures.total)
  }

  /// The counts of one route, all uses of the cache together.
  private func counts(_ route: Route, in durations: [[Int]]) -> [Int] {
    let uses = Metrics.CacheUse.allCases.map { durations[Metrics.index(route, $0)] }
    return (0..<uses[0].count).map { index in uses.reduce(0) { $0 + $1[index] } }
  }

  private func routes(_ durations: [[Int]]) -> [String: StatsSnapshot.RouteFigures] {
    var figures: [String: StatsSnapshot.RouteFigures] = [:]
    for route in Route.allCases {
      let counts = counts(route, in: durations)
      let total = counts.reduce(0, +)
      if total > 0 { figures[route.name] = .init(requests: total, latency: StatsSnapshot.Latency(counts)) }
    }
    return figures
  }

  private func live(_ change: FigureHistory.Change) -> StatsSnapshot.Live {
    let seconds = max(0.001, Double(change.elapsed.milliseconds) / 1000)
    func rate(_ count: Int) -> Double { (Double(count) / seconds * 1000).rounded() / 1000 }
    var routes: [String: Double] = [:]
    var all = 0
    for route in Route.allCases {
      let count = counts(route, in: change.durations).reduce(0, +)
      all += count
      if count > 0 { routes[route.name] = rate(count) }
    }
    var latency: [String: StatsSnapshot.Latency] = [:]
    for use in Metrics.CacheUse.allCases {
      latency["\(use)"] = StatsSnapshot.Latency(change.durations[Metrics.index(.avatar, use)])
    }
    return StatsSnapshot.Live(
      seconds: seconds, requestsPerSecond: rate(all), fetchesPerSecond: rate(change.fetches),
      hitRatio: hitRatio(change.durations), routes: routes, latency: latency)
  }

  private func hitRatio(_ durations: [[Int]]) -> Double? {
    func count(_ use: Metrics.CacheUse) -> Int { durations[Metrics.index(.avatar, use)].reduce(0, +) }
    let total = Metrics.CacheUse.allCases.reduce(0) { $0 + count($1) }
    return total == 0 ? nil : Double(count(.hit) + count(.stale)) / Double(total)
  }
}
