import CThreads

/// The turns of a thread that waits for something, works it off, and waits again: what its work resumes runs on it at the end of the turn.
///
/// Waking another thread costs both sides more than most that a task does between two waits. Confined to the thread that `serve` was called on.
public final class ThreadTurns {
  /// The usual `mostJobs`.
  public static let usualJobs = 32

  private let mostJobs: Int
  private var jobs: [UnownedJob] = []
  private var next = 0

  private init(mostJobs: Int) { self.mostJobs = mostJobs }

  /// Calls `body` with the calling thread's turns; what was resumed and has not run by its end runs then. Not to be nested.
  ///
  /// `mostJobs`, 1 or more, run at the end of one turn; what goes beyond is left to the cooperative pool, so that neither the thread's own work nor
  /// the jobs wait long: few for a thread that makes room for all others.
  public static func serve(mostJobs: Int = usualJobs, _ body: (ThreadTurns) -> Void) {
    precondition(current == nil, "a thread has its turns once")
    let turns = ThreadTurns(mostJobs: mostJobs)
    threads_keep(Unmanaged.passUnretained(turns).toOpaque())
    body(turns)
    turns.end()
    threads_keep(nil)
  }

  /// Ends a turn: runs what it resumed, and what that resumed in turn, up to `mostJobs`. To be called with no lock held.
  public func end() {
    guard !jobs.isEmpty else { return }
    while next < min(jobs.count, mostJobs) {
      next += 1
      TurnExecutor.shared.run(jobs[next - 1])
    }
    for job in jobs[next...] { TurnExecutor.shared.runElsewhere(job) }
    jobs.removeAll(keepingCapacity: true)
    next = 0
  }

  /// The calling thread's; nil where it has none.
  fileprivate static var current: ThreadTurns? {
    threads_own().map { Unmanaged<ThreadTurns>.fromOpaque($0).takeUnretainedValue() }
  }

  fileprivate func add(_ job: UnownedJob) { jobs.append(job) }
}

/// Runs a task where it was resumed: at the end of that thread's turn, or on the cooperative pool where the thread has no turns.
///
/// For tasks that do little between two waits: they keep nothing waiting but the thread that has just worked for them.
public final class TurnExecutor: TaskExecutor {
  /// The one there is.
  public static let shared = TurnExecutor()

  private init() {}

  /// Takes what is to run, from any thread.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if let turns = ThreadTurns.current { turns.add(job) } else { runElsewhere(job) }
  }

  fileprivate func run(_ job: UnownedJob) { job.runSynchronously(on: asUnownedTaskExecutor()) }

  /// In a task of the pool's: given to the pool as it is, the job would come back here with every call that it makes.
  fileprivate func runElsewhere(_ job: UnownedJob) {
    Task.detached { self.run(job) }
  }
}
