import AvatarCore

/// How many lines of one kind may be written, so that whoever guesses tokens or signatures cannot fill the log; a pure value.
///
/// So many at once, then one a second. What is held back is counted and told by the next line that is written.
struct LogAllowance: Sendable {
  private let burst: Int
  private let interval: Duration
  private var left: Int
  private var refilled: ContinuousClock.Instant
  private var heldBack: Int64 = 0

  /// Full at `now`.
  init(burst: Int = 10, interval: Duration = .seconds(1), now: ContinuousClock.Instant = .now) {
    self.burst = burst
    self.interval = interval
    left = burst
    refilled = now
  }

  /// The number of lines held back since the last one if a line may be written now, else nil.
  mutating func take(now: ContinuousClock.Instant) -> Int64? {
    while left < burst, now - refilled >= interval {
      left += 1
      refilled += interval
    }
    if left == burst { refilled = max(refilled, now) }
    guard left > 0 else {
      heldBack += 1
      return nil
    }
    left -= 1
    defer { heldBack = 0 }
    return heldBack
  }
}
