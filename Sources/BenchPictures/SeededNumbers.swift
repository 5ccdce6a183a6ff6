/// SplitMix64: the same numbers for the same seed on every machine.
struct SeededNumbers: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  /// Numbers of one picture's own.
  init(seed: UInt64, kind: PictureKind, variation: Int) {
    self.init(seed: seed ^ StableHash.of("\(kind.rawValue)/\(variation)".utf8))
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func within(_ range: ClosedRange<Double>) -> Double {
    range.lowerBound + (range.upperBound - range.lowerBound) * Double(next() >> 11) / 9_007_199_254_740_992
  }

  /// A seed for libvips' generators.
  mutating func vipsSeed() -> Int32 { Int32(truncatingIfNeeded: next() >> 33) }
}
