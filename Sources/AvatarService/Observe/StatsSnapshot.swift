import AvatarCore

/// What `/v1/stats` says, with the keys of its JSON. Times are milliseconds, sizes bytes, rates per second.
struct StatsSnapshot: Encodable {
  /// The distribution of durations.
  struct Latency: Encodable {
    var p50: Double?
    var p90: Double?
    var p99: Double?

    /// Nil without observations.
    init?(_ counts: [Int]) {
      guard counts.contains(where: { $0 > 0 }) else { return nil }
      p50 = Histogram.quantile(0.5, of: counts)
      p90 = Histogram.quantile(0.9, of: counts)
      p99 = Histogram.quantile(0.99, of: counts)
    }
  }
  /// What happened of late.
  struct Live: Encodable {
    /// The time that it covers.
    var seconds: Double
    var requestsPerSecond: Double
    var fetchesPerSecond: Double
    /// Avatars from the cache among all avatars; nil where none was asked for.
    var hitRatio: Double?
    /// Requests per second by route.
    var routes: [String: Double]
    /// Avatars' latency by the cache's part: `hit`, `stale`, `miss`, `collapsed`, `none`.
    var latency: [String: Latency]
  }
  /// One tier of the cache.
  struct Tier: Encodable {
    var objects: Int
    var bytes: Int
    /// The most that it may hold.
    var capacityBytes: Int?
    var evictions: Int
  }
  /// One route since the start.
  struct RouteFigures: Encodable {
    var requests: Int
    var latency: Latency?
  }
  /// One code at one host.
  struct Failure: Encodable {
    var code: String
    var host: String
    var originStatus: Int?
    var count: Int
    var first: String
    var last: String

    init(_ line: RecentFailures.Line) {
      code = line.code.rawValue
      host = line.host
      originStatus = line.originStatus
      count = line.count
      first = Timestamp.text(line.first)
      last = Timestamp.text(line.last)
    }
  }

  var version: String
  var uptimeSeconds: Int64
  var live: Live
  var routes: [String: RouteFigures]
  var hitRatio: Double?
  var memory: Tier
  var disk: Tier
  var diskEntries: Int
  var diskWritable: Bool
  var workers: Figures.Workers
  var fetches: Figures.Fetches
  var connections: Int
  var pendingPrefetches: Int
  var rememberedFailures: Int
  var hostsThrottled: Int
  var breakersOpen: Int
  /// Answers with an error since the start, by code.
  var errors: [String: Int]
  /// What failed of late, newest first.
  var failures: [Failure]
}
