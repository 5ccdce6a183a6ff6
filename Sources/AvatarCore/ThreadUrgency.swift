import CThreads
import Glibc

/// How soon a thread has its turn beside the machine's others. (sched(7); slices count from Linux 6.12 on)
public enum ThreadUrgency: Sendable {
  /// As the system has it.
  case usual
  /// Goes first when it wakes, for so little at a time that nobody waits long: 0.1 ms.
  case prompt
  /// Makes room for whoever wakes: nice 10, and a slice so long that every other is shorter.
  case patient

  /// Makes it the calling thread's. A system that refuses leaves the thread as it was: nothing depends on it but who waits.
  public func apply() {
    switch self {
    case .usual: break
    case .prompt:
      errno = 0
      let present = getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)  // On Linux: this thread's.
      if errno == 0 { _ = threads_share(0, present, 100_000) }
    case .patient: _ = threads_share(0, 10, 100_000_000)
    }
  }
}
