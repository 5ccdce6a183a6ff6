import Testing

@testable import AvatarBench

/// The histogram beside an exact computation on the same values.
struct LatencyHistogramTests {
  /// Ways in which latencies lie.
  enum Spread: CaseIterable {
    case small, even, logarithmic, twoHumps, constant, huge

    func value(_ random: inout Numbers) -> UInt64 {
      switch self {
      case .small: random.next() % 3000
      case .even: random.next() % 50_000_000
      case .logarithmic: (1 << (random.next() % 39)) + random.next() % 1000
      case .twoHumps: random.next() % 10 == 0 ? 900_000_000 + random.next() % 1_000_000 : 20_000 + random.next() % 5000
      case .constant: 123_456_789
      case .huge: LatencyHistogram.limit - random.next() % 1_000_000_000
      }
    }
  }

  /// Steele's splitmix64: the same numbers for the same seed.
  struct Numbers {
    var state: UInt64
    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return mixed ^ (mixed >> 31)
    }
  }

  @Test(arguments: Spread.allCases) func `every percentile is exact to three digits and never too small`(
    _ spread: Spread
  ) {
    for (seed, count) in [1, 2, 7, 100, 9999].enumerated() {
      var random = Numbers(state: UInt64(seed))
      let values = (0..<count).map { _ in spread.value(&random) }
      let ordered = values.sorted()
      var histogram = LatencyHistogram()
      for value in values { histogram.record(value) }
      for share in (0...1000).map({ Double($0) / 1000 }) + [0.9999, 0.99999] {
        let rank = max(Int((share * Double(count)).rounded(.up)), 1)
        let exact = ordered[rank - 1]
        let found = histogram.value(at: share)
        #expect(found >= exact, "\(spread), \(count) values, share \(share)")
        #expect(Double(found - min(exact, found)) <= Double(exact) / 1000, "\(spread), \(count) values, share \(share)")
      }
      #expect(histogram.maximum == ordered.last)
      #expect(histogram.value(at: 1) == ordered.last)
      #expect(histogram.count == UInt64(count))
    }
  }

  @Test func `two that are merged are one that saw everything`() {
    var random = Numbers(state: 5)
    var (one, other, both) = (LatencyHistogram(), LatencyHistogram(), LatencyHistogram())
    for number in 0..<5000 {
      // Whole microseconds below a second: their sums are exact in any order.
      let value = random.next() % 1_000_000 * 1000
      if number % 3 == 0 { one.record(value) } else { other.record(value) }
      both.record(value)
    }
    one.merge(other)
    #expect(one == both)
    #expect(one.mean == both.mean)
  }

  @Test func `a value beyond the limit counts as the limit and stays the maximum`() {
    var histogram = LatencyHistogram()
    histogram.record(1)
    histogram.record(.max)
    #expect(histogram.maximum == .max)
    #expect(histogram.value(at: 0.5) == 1)
    #expect(histogram.value(at: 1) >= LatencyHistogram.limit)
  }

  @Test func `nothing recorded is zero everywhere, and cleared is nothing recorded`() {
    var histogram = LatencyHistogram()
    histogram.record(77)
    histogram.clear()
    #expect(histogram == LatencyHistogram())
    #expect(histogram.value(at: 0.99) == 0)
    #expect(histogram.mean == 0)
    #expect(histogram.curve.isEmpty)
  }

  @Test func `a curve rises from the first value to the maximum`() {
    var histogram = LatencyHistogram()
    for value in 1...1000 { histogram.record(UInt64(value) * 1000) }
    let curve = histogram.curve
    #expect(curve.first?.share == 0)
    #expect(curve.last?.share == 1)
    #expect(curve.last?.nanoseconds == 1_000_000)
    for (point, next) in zip(curve, curve.dropFirst()) {
      #expect(point.share < next.share)
      #expect(point.nanoseconds <= next.nanoseconds)
    }
  }
}
