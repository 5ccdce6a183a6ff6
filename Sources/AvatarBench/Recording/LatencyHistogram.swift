/// How often each latency was seen, to three significant digits, in fixed memory (the design of Gil Tene's HdrHistogram).
///
/// Values are nanoseconds from 0 to `LatencyHistogram.limit`, larger ones are counted as that. The range is cut into powers of two and each of them into
/// 1,024 equal cells, so a cell is never wider than a thousandth of what it holds.
public struct LatencyHistogram: Sendable, Equatable {
  /// The largest value told apart: 2⁴⁰ ns, a little over 18 minutes.
  public static let limit: UInt64 = 1 << 40

  // Values below 2¹¹ have a cell each; every further power of two has 2¹⁰.
  private static let exactBits = 11
  private static let cellsPerPower = 1 << (exactBits - 1)
  private static let cells = (1 << exactBits) + (40 - exactBits) * cellsPerPower + 1

  private var counts: [UInt64]
  /// Values recorded.
  public private(set) var count: UInt64 = 0
  /// The largest value recorded, exact; 0 where there is none.
  public private(set) var maximum: UInt64 = 0
  private var sum: Double = 0

  /// An empty one: about 250 KB.
  public init() { counts = [UInt64](repeating: 0, count: Self.cells) }

  /// Counts one value in nanoseconds.
  public mutating func record(_ nanoseconds: UInt64) {
    counts[Self.cell(of: nanoseconds)] += 1
    count += 1
    maximum = max(maximum, nanoseconds)
    sum += Double(nanoseconds)
  }

  /// Adds all that another one counted.
  public mutating func merge(_ other: LatencyHistogram) {
    for cell in counts.indices { counts[cell] += other.counts[cell] }
    count += other.count
    maximum = max(maximum, other.maximum)
    sum += other.sum
  }

  /// Forgets everything; keeps its memory.
  public mutating func clear() {
    for cell in counts.indices { counts[cell] = 0 }
    (count, maximum, sum) = (0, 0, 0)
  }

  /// The arithmetic mean in nanoseconds, 0 where nothing was recorded.
  public var mean: Double { count == 0 ? 0 : sum / Double(count) }

  /// The smallest recorded value that at least `share` (0…1) of all values do not exceed, to the precision of its cell, rounded up; 0 where nothing was recorded.
  public func value(at share: Double) -> UInt64 {
    guard count > 0 else { return 0 }
    let rank = min(max(UInt64((share * Double(count)).rounded(.up)), 1), count)
    var seen: UInt64 = 0
    for (cell, number) in counts.enumerated() where number > 0 {
      seen += number
      if seen >= rank { return min(Self.largest(in: cell), maximum) }
    }
    return maximum
  }

  /// The curve over the shares that a chart on a log axis shows: 0, 50 %, 75 %, 87.5 % … until one value is left, then 100 %.
  public var curve: [(share: Double, nanoseconds: UInt64)] {
    guard count > 0 else { return [] }
    var points: [(Double, UInt64)] = []
    var left = 1.0
    while left * Double(count) >= 1 {
      // Four points a halving make a smooth line.
      for step in 0..<4 {
        let share = 1 - left * (1 - Double(step) / 8)
        points.append((share, value(at: share)))
      }
      left /= 2
    }
    points.append((1, maximum))
    return points
  }

  private static func cell(of value: UInt64) -> Int {
    let value = min(value, limit)
    guard value >= 1 << exactBits else { return Int(value) }
    let power = 63 - value.leadingZeroBitCount
    let shift = power - exactBits + 1
    return (1 << exactBits) + (power - exactBits) * cellsPerPower + (Int(value >> shift) - cellsPerPower)
  }

  private static func largest(in cell: Int) -> UInt64 {
    guard cell >= 1 << exactBits else { return UInt64(cell) }
    let (power, place) = (cell - (1 << exactBits)).quotientAndRemainder(dividingBy: cellsPerPower)
    let shift = power + 1
    return (UInt64(cellsPerPower + place + 1) << shift) - 1
  }
}
