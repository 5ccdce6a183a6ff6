/// A wall-clock moment in milliseconds since 1970, for stored records and HTTP dates only; deadlines use `Deadline`.
public struct UnixTime: Hashable, Comparable, Sendable {
  /// Milliseconds since 1970-01-01T00:00:00Z; may be negative.
  public let milliseconds: Int64

  /// From milliseconds since 1970.
  public init(milliseconds: Int64) { self.milliseconds = milliseconds }
  /// From whole seconds since 1970; saturates rather than overflows.
  public init(seconds: Int64) {
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
    milliseconds = overflow ? (seconds < 0 ? .min : .max) : product
  }

  /// Whole seconds since 1970, rounded down.
  public var seconds: Int64 { milliseconds >= 0 ? milliseconds / 1000 : (milliseconds + 1) / 1000 - 1 }

  /// Earlier first.
  public static func < (left: Self, right: Self) -> Bool { left.milliseconds < right.milliseconds }
  /// The moment `duration` later; saturates.
  public static func + (time: Self, duration: Duration) -> Self {
    let (sum, overflow) = time.milliseconds.addingReportingOverflow(duration.milliseconds)
    return Self(milliseconds: overflow ? (duration < .zero ? .min : .max) : sum)
  }
  /// The time from `right` to `left`, negative if `left` is earlier; saturates.
  public static func - (left: Self, right: Self) -> Duration {
    let (difference, overflow) = left.milliseconds.subtractingReportingOverflow(right.milliseconds)
    return .milliseconds(overflow ? (left < right ? Int64.min : .max) : difference)
  }
}

/// The wall clock as a value that is handed in, so that rules can be tested at any moment.
public protocol WallClock: Sendable {
  /// The present moment.
  var now: UnixTime { get }
}

/// The moment after which an answer is of no use to whoever asked; monotonic, immune to clock steps.
public struct Deadline: Comparable, Sendable {
  /// The monotonic instant.
  public let instant: ContinuousClock.Instant

  /// At an instant.
  public init(_ instant: ContinuousClock.Instant) { self.instant = instant }
  /// So long from now.
  public static func after(_ duration: Duration) -> Self { Self(ContinuousClock.now + duration) }

  /// What is left, never negative.
  public var remaining: Duration { max(.zero, instant - ContinuousClock.now) }
  /// Whether the moment has passed.
  public var hasPassed: Bool { instant <= ContinuousClock.now }
  /// Earlier first.
  public static func < (left: Self, right: Self) -> Bool { left.instant < right.instant }
}

extension Duration {
  /// Whole milliseconds, rounded towards zero; saturates.
  public var milliseconds: Int64 {
    let (whole, fraction) = components
    let (product, overflow) = whole.multipliedReportingOverflow(by: 1000)
    return overflow ? (whole < 0 ? .min : .max) : product + fraction / 1_000_000_000_000_000
  }
  /// Whole seconds, rounded towards zero.
  public var wholeSeconds: Int64 { components.seconds }
}
