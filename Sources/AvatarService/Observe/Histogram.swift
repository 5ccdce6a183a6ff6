import AvatarCore

/// A Prometheus histogram of seconds with fixed bounds from half a millisecond to ten seconds.
final class Histogram: Sendable {
  static let bounds: [Double] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
  private static let microseconds = bounds.map { Int64($0 * 1_000_000) }
  private let buckets = CounterTable(count: bounds.count + 1)
  private let microseconds = CounterTable(count: 1)

  /// Notes one duration.
  func observe(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    observe(microseconds: seconds * 1_000_000 + attoseconds / 1_000_000_000_000)
  }

  /// Notes one duration in nanoseconds.
  func observe(nanoseconds: Int64) { observe(microseconds: nanoseconds / 1000) }

  private func observe(microseconds elapsed: Int64) {
    var index = 0
    while index < Self.microseconds.count, elapsed > Self.microseconds[index] { index += 1 }
    buckets.add(index)
    microseconds.add(0, Int(elapsed))
  }

  /// Observations at or under each bound, cumulative, the last being all of them.
  var cumulative: [Int] {
    var sum = 0
    return counts.map {
      sum += $0
      return sum
    }
  }
  /// Observations by bucket, the last being those over every bound.
  var counts: [Int] { (0..<buckets.count).map { buckets[$0] } }
  /// The sum of all observations in seconds.
  var sum: Double { Double(microseconds[0]) / 1_000_000 }

  /// The value under which `share` (0…1) of the observations lie, in milliseconds: evenly spread within a bucket, as Prometheus reckons.
  /// What lies over the last bound counts as the last bound. Nil without observations.
  static func quantile(_ share: Double, of counts: [Int]) -> Double? {
    let total = counts.reduce(0, +)
    guard total > 0 else { return nil }
    let rank = Double(total) * share
    var below = 0
    for (index, count) in counts.enumerated() where count > 0 {
      guard Double(below + count) >= rank else {
        below += count
        continue
      }
      guard index < bounds.count else { break }
      let floor = index == 0 ? 0 : bounds[index - 1]
      let part = max(0, rank - Double(below)) / Double(count)
      return ((floor + (bounds[index] - floor) * part) * 1_000_000).rounded() / 1000
    }
    return (bounds.last ?? 0) * 1000
  }
}
