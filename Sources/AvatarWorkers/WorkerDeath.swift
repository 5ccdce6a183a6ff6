import Glibc

/// How a worker came to its end and whose doing it was. The kernel's exit status and what we did ourselves decide, by number.
struct WorkerDeath: Hashable {
  /// Why we ended a worker, where we did.
  enum Verdict: Hashable {
    /// The image's CPU time, or its wall time with CPU time to show for it.
    case timedOut
    /// The image's wall time, while the worker hardly ran.
    case starved
    /// It broke the protocol.
    case protocolBroken(String)
    /// It could not be confined, or took too long to become ready.
    case unfit(String)
    /// It is not needed any more: recycled, or the pool stops.
    case dismissed
  }

  /// The kernel's word for it.
  enum Ending: Hashable {
    case exited(Int32)
    case signalled(Int32)
  }

  let verdict: Verdict?
  let ending: Ending
  /// Whether it had been ready at all.
  let wasReady: Bool

  /// Signals that a process brings on itself: faults, aborts, the filter, its own limits. All others come from outside.
  private static let ownSignals: Set<Int32> = [
    SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS, SIGXCPU, SIGXFSZ, SIGPROF, SIGPIPE,
  ]

  /// The metric's reason.
  var reason: WorkerRestartReason {
    if verdict == .dismissed { return .recycled }
    guard wasReady else { return .startFailed }
    switch verdict {
    case .timedOut: return .timedOut
    case .starved: return .starved
    case .protocolBroken: return .protocolBroken
    case .unfit, .dismissed, nil: break
    }
    switch ending {
    case .exited: return .crashed
    case .signalled(SIGPROF), .signalled(SIGXCPU): return .timedOut
    case .signalled(let signal): return Self.ownSignals.contains(signal) ? .crashed : .killed
    }
  }

  /// Whether the image in hand is to blame. Two such deaths make it `image_corrupt`; others are not remembered.
  var isOfItsOwnDoing: Bool {
    switch reason {
    case .crashed, .timedOut, .protocolBroken: true
    case .starved, .killed, .startFailed, .recycled: false
    }
  }

  /// For the log and for readiness.
  var description: String {
    switch verdict {
    case .timedOut: return "killed past its time"
    case .starved: return "killed past its wall time without having run"
    case .protocolBroken(let what): return "killed for breaking the protocol: \(what)"
    case .unfit(let why): return why
    case .dismissed: return "dismissed"
    case nil: break
    }
    switch ending {
    case .exited(let status): return "exited with \(status)"
    case .signalled(SIGSYS): return "ended by the call filter"
    case .signalled(SIGPROF): return "ended by its CPU alarm"
    case .signalled(let signal): return "ended by signal \(signal)"
    }
  }
}
