import CLinux
import Glibc

/// Waiting between two looks at another process.
enum Pause {
  /// Sleeps this thread, which is one of the benchmark's own.
  static func milliseconds(_ number: Int) { nanoseconds(UInt64(number) * 1_000_000) }

  /// The same to the nanosecond.
  static func nanoseconds(_ number: UInt64) {
    var time = timespec(tv_sec: Int(number / 1_000_000_000), tv_nsec: Int(number % 1_000_000_000))
    nanosleep(&time, nil)  // Cut short by a signal it is followed by another look.
  }
}
