import AvatarCore

/// What the service counts of its requests; adapters' own counts are read when somebody asks.
public final class Metrics: Sendable {
  /// How the cache took part in an answer.
  enum CacheUse: Int, CaseIterable, Sendable {
    case hit, stale, miss, collapsed, none
  }

  static let statuses = [
    200, 202, 304, 400, 401, 403, 404, 405, 413, 414, 415, 422, 431, 500, 502, 503, 504,
  ]
  let requests = CounterTable(count: Route.allCases.count * (Metrics.statuses.count + 1))
  let durations = (0..<Route.allCases.count * CacheUse.allCases.count).map { _ in Histogram() }
  let errors = CounterTable(count: AvatarError.Code.allCases.count)
  let collapsed = CounterTable(count: 1)

  private static let codes = Dictionary(
    uniqueKeysWithValues: AvatarError.Code.allCases.enumerated().map { ($1, $0) })

  /// All counts at zero.
  public init() {}

  func note(_ route: Route, status: Int, cache: CacheUse, elapsed: Duration) {
    let status = Self.statuses.firstIndex(of: status) ?? Self.statuses.count
    requests.add(route.rawValue * (Self.statuses.count + 1) + status)
    durations[Self.index(route, cache)].observe(elapsed)
    if cache == .collapsed { collapsed.add(0) }
  }

  /// A plain hit from memory, after so many nanoseconds.
  func noteHit(status: Int, nanoseconds: Int64) {
    requests.add(Route.avatar.rawValue * (Self.statuses.count + 1) + (status == 200 ? Self.ok : Self.notModified))
    durations[Self.index(.avatar, .hit)].observe(nanoseconds: nanoseconds)
  }

  private static let ok = statuses.firstIndex(of: 200) ?? statuses.count
  private static let notModified = statuses.firstIndex(of: 304) ?? statuses.count

  /// Where a route's durations are.
  static func index(_ route: Route, _ use: CacheUse) -> Int { route.rawValue * CacheUse.allCases.count + use.rawValue }

  func note(_ error: AvatarError.Code) {
    if let index = Self.codes[error] { errors.add(index) }
  }
}
