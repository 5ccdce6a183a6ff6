import CLinux
import Glibc

/// Clocks as plain nanoseconds: what the load loop counts in, two of them a request.
enum Nanoseconds {
  /// Monotonic time.
  static var now: UInt64 { read(CLOCK_MONOTONIC) }
  /// CPU time of the calling thread.
  static var ofThisThread: UInt64 { read(CLOCK_THREAD_CPUTIME_ID) }
  /// CPU time of a process with all its threads, those that ended too; nil if there is no such process.
  static func ofProcess(_ identifier: Int32) -> UInt64? {
    var clock: clockid_t = 0
    guard clock_getcpuclockid(identifier, &clock) == 0 else { return nil }
    var time = timespec()
    guard clock_gettime(clock, &time) == 0 else { return nil }
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  private static func read(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
