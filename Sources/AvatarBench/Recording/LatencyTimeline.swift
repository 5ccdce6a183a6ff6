/// What latency did over a run's time: one line for each stretch of `interval`.
///
/// A value belongs to the stretch of its intended start, so a stall shows where it happened and not where its answers came.
public struct LatencyTimeline: Sendable {
  /// One stretch of time.
  public struct Stretch: Sendable, Codable, Equatable {
    /// Seconds from the run's start to the stretch's.
    public var at: Double
    /// Answers to requests that were due in it.
    public var answers: UInt64
    /// Their median latency in seconds.
    public var p50: Double
    /// Their 99th percentile in seconds.
    public var p99: Double
    /// The slowest in seconds.
    public var slowest: Double
  }

  private let interval: UInt64
  private var values: [[UInt32]] = []
  /// Latencies kept for each stretch; beyond that a stretch keeps an even sample and its maximum.
  private static let kept = 4096
  private var seen: [UInt64] = []
  private var slowest: [UInt64] = []

  /// An empty one; `interval` in nanoseconds.
  public init(interval: UInt64) { self.interval = interval }

  /// Records a latency by its intended start, both in nanoseconds, the start from the run's beginning.
  public mutating func record(start: UInt64, latency: UInt64) {
    let place = Int(start / interval)
    guard place < 86_400 else { return }
    while values.count <= place {
      values.append([])
      seen.append(0)
      slowest.append(0)
    }
    seen[place] += 1
    slowest[place] = max(slowest[place], latency)
    // Microseconds are enough for a chart, and 71 minutes the most.
    let value = UInt32(clamping: latency / 1000)
    if values[place].count < Self.kept {
      values[place].append(value)
    } else if seen[place] % 8 == 0 {
      values[place][Int(seen[place] / 8 % UInt64(Self.kept))] = value
    }
  }

  /// Takes in what another thread recorded of the same run.
  public mutating func merge(_ other: LatencyTimeline) {
    for (place, more) in other.values.enumerated() {
      if values.count <= place {
        values.append(more)
        seen.append(other.seen[place])
        slowest.append(other.slowest[place])
      } else {
        values[place] += more
        seen[place] += other.seen[place]
        slowest[place] = max(slowest[place], other.slowest[place])
      }
    }
  }

  /// The stretches in order; those without an answer are left out.
  public var stretches: [Stretch] {
    values.indices.compactMap { place in
      guard seen[place] > 0 else { return nil }
      let ordered = values[place].sorted()
      func share(_ part: Double) -> Double {
        Double(ordered[min(ordered.count - 1, Int(Double(ordered.count) * part))]) / 1e6
      }
      return Stretch(
        at: Double(UInt64(place) * interval) / 1e9, answers: seen[place], p50: share(0.5), p99: share(0.99),
        slowest: Double(slowest[place]) / 1e9)
    }
  }
}
