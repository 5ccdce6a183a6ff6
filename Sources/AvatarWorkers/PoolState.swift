import AvatarCore
import Synchronization

/// What callers and the supervisor share: a pure value inside a lock, and the way to wake the supervisor.
final class PoolState: Sendable {
  /// The value inside the lock.
  struct Intake {
    var queue: WorkQueue<WorkerJob>
    /// Workers that wait for an image, as the supervisor last said, less what it has taken for them since.
    var idle = 0
    var nextNumber: UInt64 = 1
    var isStopping = false
    var hasStopped = false
    var statistics = WorkerStatistics()
    /// Who waits for the first worker or the first verdict, and who for the end.
    var starters: [CheckedContinuation<WorkerReadiness, Never>] = []
    var stoppers: [CheckedContinuation<Void, Never>] = []
  }

  let wakeup: Wakeup
  private let intake: Mutex<Intake>

  init(capacity: Int) throws(SystemFault) {
    wakeup = try Wakeup()
    intake = Mutex(Intake(queue: WorkQueue(capacity: capacity)))
  }

  /// Looks at or changes the value; resumes nobody inside.
  func withLock<Result>(_ body: (inout sending Intake) -> sending Result) -> sending Result { intake.withLock(body) }
}
