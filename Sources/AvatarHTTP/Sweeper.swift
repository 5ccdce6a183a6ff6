import AvatarCore
import Glibc
import Synchronization

/// The thread that holds the age limits, of requests that arrive slowly and of clients that read slowly, and does what
/// else has to be done now and then: nudging crowded loops, stopping those that a reload has retired.
///
/// The library has an idle timeout only, and each byte starts it anew.
final class Sweeper: Sendable {
  private let thread: NamedThread
  private let wakeUp: WakeUp
  private let isStopping: Stopping
  private let isStopped = Mutex(false)

  /// Starts.
  init(core: ServerCore, fleet: LoopFleet, options: HTTPServerOptions) throws(AvatarError) {
    let limits = ConnectionWatch.Limits(
      request: options.requestTimeout, response: options.responseTimeout,
      idle: FastLane.idleTimeout(for: options))
    let isStopping = Stopping()
    self.isStopping = isStopping
    wakeUp = core.becameCrowded
    thread = try NamedThread("avatar-sweep") {
      Self.run(core, fleet, limits) { isStopping.flag.load(ordering: .acquiring) }
    }
  }

  /// Ends the thread. More than once does nothing.
  func stop() {
    isStopped.withLock { isStopped in
      guard !isStopped else { return }
      isStopped = true
      isStopping.flag.store(true, ordering: .releasing)
      wakeUp.signal()
      thread.join()
    }
  }

  private static func run(
    _ core: ServerCore, _ fleet: LoopFleet, _ limits: ConnectionWatch.Limits, until isOver: () -> Bool
  ) {
    let interval = interval(for: limits)
    var next = Deadline.after(interval)
    var isCrowded = false
    while !isOver() {
      // Ten milliseconds bound what a client can wait for a nudge; without a crowd this thread hardly runs.
      let pause = isCrowded ? min(next.remaining, .milliseconds(10)) : next.remaining
      _ = core.becameCrowded.wait(milliseconds: Int32(clamping: pause.milliseconds + 1))
      isCrowded = fleet.nudgeCrowded()
      guard next.hasPassed else { continue }
      next = .after(interval)
      sweep(core, limits)
      fleet.stopRetired()
    }
  }

  /// A tenth of the shorter limit, 20 ms to 1 s: what an age can be short by.
  private static func interval(for limits: ConnectionWatch.Limits) -> Duration {
    min(.seconds(1), max(.milliseconds(20), min(limits.request, limits.response) / 10))
  }

  private static func sweep(_ core: ServerCore, _ limits: ConnectionWatch.Limits) {
    for record in core.registry.snapshot {
      switch record.sweep(now: .now, limits: limits) {
      case .keep: break
      case .slowRequest: core.counters.slowRequests.wrappingAdd(1, ordering: .relaxed)
      case .slowResponse: core.counters.slowResponses.wrappingAdd(1, ordering: .relaxed)
      }
    }
  }
}

private final class Stopping: Sendable {
  let flag = Atomic<Bool>(false)
}
