import AvatarCore
import Glibc

/// The state that a job queue's threads share: jobs in order, a bound, and the wish to end.
///
/// Waking a thread costs as much as reading an avatar from the page cache. So while jobs are quick, one that comes while a thread is at work wakes
/// nobody: the thread takes it next. Another thread is on watch, looks again every two milliseconds, and helps where the first is held up.
/// While jobs are slow, as with a disk that has to be read, each wakes a thread.
///
/// A mutex of the C library, because a thread has to sleep on it with a time limit (`Synchronization.Mutex` has no condition).
/// `@unchecked Sendable`: every stored variable is touched only between lock and unlock of `mutex`, the seats' too; the C objects live
/// at fixed addresses from init to deinit.
final class SharedJobs<Job>: @unchecked Sendable {
  /// What a thread does next.
  enum Next {
    case job(Job)
    case due
    case closed
  }

  /// Where one thread sleeps: a condition of its own. With many threads on one condition the C library of Debian 12 can lose a signal
  /// (glibc bug 25847), and the job would wait for the next one.
  final class Seat {
    /// When its thread took its job; 0 without one.
    fileprivate var began: Int64 = 0
    fileprivate let woken = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    init() {
      var attributes = pthread_condattr_t()
      pthread_condattr_init(&attributes)
      pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
      pthread_cond_init(woken, &attributes)
      pthread_condattr_destroy(&attributes)
    }

    deinit {
      pthread_cond_destroy(woken)
      woken.deallocate()
    }
  }

  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let capacity: Int
  private var jobs: [Job?] = []
  private var first = 0
  private var isClosed = false
  private var threads: Int
  /// Threads that are not waiting for anything.
  private var running: Int
  /// Threads that wait, the last to fall asleep last.
  private var asleep: [Seat] = []
  private var watcher: Seat?
  /// A moving average of how long jobs take, in nanoseconds.
  private var usualLength: Int64 = 0
  private static var quick: Int64 { 100_000 }
  private var endNotices: [@Sendable () -> Void] = []

  init(capacity: Int, threads: Int) {
    self.capacity = capacity
    self.threads = threads
    running = threads
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Adds a job at the end; false where there is no room or nobody to run it.
  func add(_ job: Job) -> Bool {
    pthread_mutex_lock(mutex)
    let isTaken = !isClosed && threads > 0 && jobs.count - first < capacity
    if isTaken { jobs.append(job) }
    // Who is at work takes it next, unless that takes too long.
    let isLeftToOthers = running > 0 && watcher != nil && usualLength < Self.quick
    let seat = isTaken && !isLeftToOthers ? asleep.popLast() : nil
    pthread_mutex_unlock(mutex)
    // Outside the lock, on which the woken thread would only have to wait again.
    if let seat { pthread_cond_signal(seat.woken) }
    return isTaken
  }

  /// Waits on the calling thread's `seat` for a job, for the moment `until` (monotonic milliseconds; nil waits for ever), or for the end.
  func next(on seat: Seat, until: Int64?) -> Next {
    pthread_mutex_lock(mutex)
    running -= 1
    if seat.began > 0 { usualLength += (MonotonicTime.now.nanoseconds - seat.began - usualLength) / 8 }
    seat.began = 0
    defer {
      running += 1
      pthread_mutex_unlock(mutex)
    }
    var hasWatched = false
    while true {
      if first < jobs.count, let job = jobs[first] {
        jobs[first] = nil
        first += 1
        if first == jobs.count || first >= 1024 {
          jobs.removeFirst(first)
          first = 0
        }
        // Whoever is at work has been at it for a while: the next one keeps watch, or helps too.
        if hasWatched, let other = asleep.popLast() { pthread_cond_signal(other.woken) }
        seat.began = MonotonicTime.now.nanoseconds
        return .job(job)
      }
      if isClosed { return .closed }
      if let until {
        if MonotonicMilliseconds.now >= until { return .due }
        _ = sleep(on: seat, until: until)
      } else if running > 0, watcher == nil {
        watcher = seat
        hasWatched = sleep(on: seat, until: MonotonicMilliseconds.now + 2)
        watcher = nil
      } else {
        hasWatched = sleep(on: seat, until: nil)
      }
    }
  }

  /// Sleeps until it is woken or until the moment is there; true after the moment.
  private func sleep(on seat: Seat, until: Int64?) -> Bool {
    asleep.append(seat)
    defer { asleep.removeAll { $0 === seat } }
    guard let until else {
      pthread_cond_wait(seat.woken, mutex)
      return false
    }
    var time = timespec(tv_sec: Int(until / 1000), tv_nsec: Int(until % 1000) * 1_000_000)
    return pthread_cond_timedwait(seat.woken, mutex, &time) == ETIMEDOUT
  }

  /// Lets nothing in any more and wakes every thread.
  func close() {
    pthread_mutex_lock(mutex)
    isClosed = true
    for seat in asleep { pthread_cond_signal(seat.woken) }
    pthread_mutex_unlock(mutex)
  }

  /// Counts a thread out; the last one calls the notices, outside the lock.
  func threadEnded() {
    pthread_mutex_lock(mutex)
    threads -= 1
    running -= 1
    let notices = threads == 0 ? endNotices : []
    if threads == 0 { endNotices = [] }
    pthread_mutex_unlock(mutex)
    for notice in notices { notice() }
  }

  /// Calls `notice` once no thread is left, at once if none is.
  func onEnd(_ notice: @escaping @Sendable () -> Void) {
    pthread_mutex_lock(mutex)
    let ended = threads == 0
    if !ended { endNotices.append(notice) }
    pthread_mutex_unlock(mutex)
    if ended { notice() }
  }
}
