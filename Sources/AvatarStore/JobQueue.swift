import AvatarCore
import Glibc

/// A bounded first-in first-out queue before one or more named threads, each with a context of its own.
///
/// Blocking calls run here instead of on the cooperative pool. A thread makes its context, works through the jobs, calls `tick` about
/// once an interval, and at the end, when the queue is closed and empty, calls `finish`.
final class JobQueue<Context>: Sendable {
  /// One piece of work.
  typealias Job = @Sendable (Context) -> Void

  private let shared: SharedJobs<Job>

  /// Starts the threads. `name` has at most 15 bytes.
  init(
    name: String, threads: Int, capacity: Int, urgency: ThreadUrgency = .usual, interval: Duration? = nil,
    make: @escaping @Sendable () -> Context,
    tick: @escaping @Sendable (Context) -> Void = { _ in },
    finish: @escaping @Sendable (Context) -> Void = { _ in }
  ) {
    let shared = SharedJobs<Job>(capacity: capacity, threads: threads)
    self.shared = shared
    let step = interval.map { max(1, $0.milliseconds) }
    for _ in 0..<threads {
      let started = NamedThread.start(name, stackBytes: 1 << 20, urgency: urgency) {
        ThreadTurns.serve { Self.work(shared, $0, every: step, make: make, tick: tick, finish: finish) }
        // Behind the life of the context: whoever waits for the end finds its files and connections closed.
        shared.threadEnded()
      }
      if !started { shared.threadEnded() }
    }
  }

  private static func work(
    _ shared: SharedJobs<Job>, _ turns: ThreadTurns, every step: Int64?, make: () -> Context,
    tick: (Context) -> Void, finish: (Context) -> Void
  ) {
    let context = make()
    let seat = SharedJobs<Job>.Seat()
    var nextTick = step.map { MonotonicMilliseconds.now + $0 }
    while true {
      switch shared.next(on: seat, until: nextTick) {
      case .job(let job):
        job(context)
        // Who waits for it does not wait for the tick as well.
        turns.end()
      case .due: break
      case .closed: return finish(context)
      }
      if let due = nextTick, let step, MonotonicMilliseconds.now >= due {
        tick(context)
        nextTick = MonotonicMilliseconds.now + step
      }
      turns.end()
    }
  }

  deinit { shared.close() }

  /// Adds a job; false, and the job never runs, where the queue is full, closed or without a thread.
  func submit(_ job: @escaping Job) -> Bool { shared.add(job) }

  /// Lets no further job in; returns once the jobs that are in have run and every thread has finished.
  func close() async {
    await withCheckedContinuation { continuation in
      shared.onEnd { continuation.resume() }
      shared.close()
    }
  }

  /// Runs `body` on a thread of the queue; `queueFull` where it does not get in.
  func run<Result: Sendable>(
    _ body: @escaping @Sendable (Context) throws(StoreFault) -> Result
  ) async throws(StoreFault) -> Result {
    let outcome: Swift.Result<Result, StoreFault> = await withCheckedContinuation { continuation in
      let accepted = submit { context in
        do throws(StoreFault) {
          continuation.resume(returning: .success(try body(context)))
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
      if !accepted { continuation.resume(returning: .failure(StoreFault(.queueFull, "queue a job"))) }
    }
    return try outcome.get()
  }
}

/// The monotonic clock in milliseconds, the unit of the queue's timed waits.
enum MonotonicMilliseconds {
  static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
