/// One image's time, as seen from outside the worker: CPU time to its limit, wall time to twice that. A pure value.
///
/// The worker sets an alarm on its own CPU time as well, which ends it to the tick; this clock holds where the worker, taken over by a
/// picture, has switched that off.
struct DecodeClock: Hashable {
  /// What is to be done now.
  enum Ruling: Hashable {
    /// Nothing; look again then.
    case goOn(lookAgain: ContinuousClock.Instant)
    /// It had its time and used it.
    case timedOut
    /// It had its time but hardly ran: stopped, or on a machine that is overloaded.
    case starved
  }

  /// What the worker's own alarm gets on top before this clock acts, so that the usual death is by the alarm.
  static let grace = Duration.milliseconds(50)

  private let limit: Duration
  private let startedAt: ContinuousClock.Instant
  private let cpuAtStart: Duration
  private let threads: Int

  /// Starts when the first byte is sent. `threads` bounds how much faster than the wall CPU time can pass.
  init(limit: Duration, now: ContinuousClock.Instant, cpu: Duration, threads: Int) {
    self.limit = limit
    startedAt = now
    cpuAtStart = cpu
    self.threads = max(1, threads)
  }

  /// The first moment at which a limit can have been passed.
  var firstLook: ContinuousClock.Instant { startedAt + min(limit * 2, (limit + Self.grace) / threads) }

  /// CPU time used for this image, never negative.
  func used(cpu: Duration) -> Duration { max(.zero, cpu - cpuAtStart) }

  /// Judges by the worker's whole CPU time so far.
  func ruling(now: ContinuousClock.Instant, cpu: Duration) -> Ruling {
    let wallEnd = startedAt + limit * 2
    let used = used(cpu: cpu)
    if used >= limit + Self.grace { return .timedOut }
    // A picture that is to blame has used its worker by now; one whose worker was stopped or found no core has not.
    if now >= wallEnd { return used >= limit / 2 ? .timedOut : .starved }
    let soonest = (limit + Self.grace - used) / threads
    return .goOn(lookAgain: min(wallEnd, now + max(soonest, .milliseconds(5))))
  }
}
