/// Why a worker was replaced; the raw value is the metric's label.
public enum WorkerRestartReason: String, CaseIterable, Sendable {
  /// It died by a signal or an exit of its own.
  case crashed
  /// The image used up its CPU time, or its wall time with CPU time to show for it.
  case timedOut = "timed_out"
  /// The image's wall time passed while the worker hardly ran: it was stopped, or the machine is overloaded.
  case starved
  /// Somebody else killed it.
  case killed
  /// It said something that the protocol does not allow.
  case protocolBroken = "protocol"
  /// It never became ready.
  case startFailed = "start_failed"
  /// It held too much memory at rest or had used up its share of CPU time; a fresh one was up before it left.
  case recycled
}

/// Whether pictures can be normalized now.
public enum WorkerReadiness: Hashable, Sendable {
  /// No worker has been up yet and none has failed.
  case starting
  /// At least one worker is up. `missing` names the confinement that the machine forbids, empty at best.
  case ready(missing: [String])
  /// No worker is up; the reason is for `/readyz` and the log. The pool goes on trying.
  case unready(reason: String)
}

/// The pool's present state and its counters since the start.
public struct WorkerStatistics: Hashable, Sendable {
  /// Workers wanted.
  public var count = 0
  /// Workers that are warm and confined.
  public var up = 0
  /// Workers with an image in hand.
  public var busy = 0
  /// Images that wait for a worker.
  public var queued = 0
  /// Workers replaced since the start, by reason.
  public var restarts: [WorkerRestartReason: Int] = [:]
  /// Process numbers of the workers that are up.
  public var processes: [Int32] = []
  /// Whether pictures can be normalized.
  public var readiness = WorkerReadiness.starting
}
