import Glibc

/// A moment of the monotonic clock in nanoseconds. For what is measured at every hit, where `ContinuousClock`'s 128-bit arithmetic would show.
public struct MonotonicTime: Sendable {
  /// Nanoseconds since some moment before the process began.
  public let nanoseconds: Int64

  /// The present moment.
  public static var now: Self {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Self(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }
}
