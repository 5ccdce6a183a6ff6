import Glibc

/// The state that a job queue's threads share: jobs in order, a bound, and the wish to end.
///
/// A mutex of the C library, because a thread has to sleep on it with a time limit (`Synchronization.Mutex` has no condition).
/// `@unchecked Sendable`: every stored variable is touched only between lock and unlock of `mutex`; the two C objects live at
/// fixed addresses from init to deinit.
final class SharedJobs<Job>: @unchecked Sendable {
  /// What a thread does next.
  enum Next {
    case job(Job)
    case due
    case closed
  }

  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private let capacity: Int
  private var jobs: [Job?] = []
  private var first = 0
  private var isClosed = false
  private var threads: Int
  private var endNotices: [@Sendable () -> Void] = []

  init(capacity: Int, threads: Int) {
    self.capacity = capacity
    self.threads = threads
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(changed, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(mutex)
    changed.deallocate()
    mutex.deallocate()
  }

  /// Adds a job at the end; false where there is no room or nobody to run it.
  func add(_ job: Job) -> Bool {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    guard !isClosed, threads > 0, jobs.count - first < capacity else { return false }
    jobs.append(job)
    pthread_cond_signal(changed)
    return true
  }

  /// Waits for a job, for the moment `until` (monotonic milliseconds; nil waits for ever), or for the end.
  func next(until: Int64?) -> Next {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if first < jobs.count, let job = jobs[first] {
        jobs[first] = nil
        first += 1
        if first == jobs.count || first >= 1024 {
          jobs.removeFirst(first)
          first = 0
        }
        return .job(job)
      }
      if isClosed { return .closed }
      guard let until else {
        pthread_cond_wait(changed, mutex)
        continue
      }
      if MonotonicMilliseconds.now >= until { return .due }
      var time = timespec(tv_sec: Int(until / 1000), tv_nsec: Int(until % 1000) * 1_000_000)
      pthread_cond_timedwait(changed, mutex, &time)
    }
  }

  /// Lets nothing in any more and wakes every thread.
  func close() {
    pthread_mutex_lock(mutex)
    isClosed = true
    pthread_cond_broadcast(changed)
    pthread_mutex_unlock(mutex)
  }

  /// Counts a thread out; the last one calls the notices, outside the lock.
  func threadEnded() {
    pthread_mutex_lock(mutex)
    threads -= 1
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
