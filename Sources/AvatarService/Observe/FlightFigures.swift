import AvatarCore
import Synchronization

/// What is counted of exchanges with origins, whoever asked for them: a request, a prefetch, or a refresh behind.
final class FlightFigures: Sendable {
  /// Outcomes in the order of `outcomes`.
  let fetches = CounterTable(count: FlightFigures.outcomes.count)
  let fetchDurations = Histogram()
  let decodeDurations = Histogram()
  let queueDurations = Histogram()
  private let failures = Mutex(RecentFailures())

  /// The error codes, then a picture, then a 304.
  static let outcomes = AvatarError.Code.allCases.map(\.rawValue) + ["ok", "not_modified"]
  private static let codes = Dictionary(
    uniqueKeysWithValues: AvatarError.Code.allCases.enumerated().map { ($1, $0) })

  /// Notes how a flight for `url` ended at `now`. One that found its answer without asking the origin counts for nothing.
  func note(_ landing: Landing, _ url: SourceURL, now: UnixTime) {
    var failure: AvatarError?
    if case .failure(let error) = landing.result { failure = error }
    if let failure { failures.withLock { $0.note(failure, host: url.host.text, now: now) } }
    guard let part = landing.origin else { return }
    let base = AvatarError.Code.allCases.count
    fetches.add(failure.flatMap { Self.codes[$0.code] } ?? (part.status == 304 ? base + 1 : base))
    fetchDurations.observe(part.fetched)
    if let queued = part.queued { queueDurations.observe(queued) }
    if let decoded = part.decoded { decodeDurations.observe(decoded) }
  }

  /// What failed of late, newest last.
  var recentFailures: [RecentFailures.Line] { failures.withLock { $0.lines } }
  /// All exchanges.
  var total: Int { (0..<fetches.count).reduce(0) { $0 + fetches[$1] } }
}
