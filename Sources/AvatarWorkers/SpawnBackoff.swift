/// When to try again after workers have failed to start: at once the first time, then ever later, but never less than once a second.
struct SpawnBackoff: Hashable {
  /// The longest wait between two trials.
  static let longest = Duration.seconds(1)

  /// Failed starts in a row.
  private(set) var failures = 0
  private var notBefore: ContinuousClock.Instant?

  /// A worker became ready.
  mutating func succeed() { self = SpawnBackoff() }

  /// A worker did not become ready, or could not be started.
  mutating func fail(now: ContinuousClock.Instant) {
    failures += 1
    let wait = Duration.milliseconds(50) * (1 << min(failures, 8))
    notBefore = now + min(wait, Self.longest)
  }

  /// The moment before which no worker is started; nil if one may be started now.
  func wait(now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
    guard let notBefore, notBefore > now else { return nil }
    return notBefore
  }

  /// Whether this failure gets a log line: the first, second, fourth, eighth …, so that a machine without a worker does not fill its log.
  var isWorthALine: Bool { failures & (failures - 1) == 0 }
}
