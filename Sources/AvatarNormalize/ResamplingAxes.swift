/// The last axes that were used: most pictures come in a few sizes, and a thousand sines are a tenth of what a small one costs.
final class ResamplingAxes {
  private struct Key: Equatable {
    let inputs: Int
    let outputs: Int
    let scale: Double
  }

  private struct BlockKey: Equatable {
    let samples: Key
    let offset: Int
    let available: Int
    let kept: Int
  }

  private var ofSamples = Recent<Key, ResamplingAxis>(limit: 8)
  private var ofBlocks = Recent<BlockKey, BlockAxis>(limit: 8)
  /// Longer ones are the rare, large pictures', which take much longer themselves.
  private static let mostTaps = 64

  /// As `ResamplingAxis.init`.
  func axis(inputs: Int, outputs: Int, scale: Double) -> ResamplingAxis {
    ofSamples.value(Key(inputs: inputs, outputs: outputs, scale: scale)) {
      let axis = ResamplingAxis(inputs: inputs, outputs: outputs, scale: scale)
      return (axis, axis.weights.taps <= Self.mostTaps)
    }
  }

  /// As `BlockAxis.init`, of the samples `inputs` of `available` blocks.
  func blockAxis(inputs: Range<Int>, of available: Int, outputs: Int, scale: Double, kept: Int) -> BlockAxis {
    let samples = Key(inputs: inputs.count, outputs: outputs, scale: scale)
    let key = BlockKey(samples: samples, offset: inputs.lowerBound, available: available, kept: kept)
    return ofBlocks.value(key) {
      let axis = ResamplingAxis(inputs: inputs.count, outputs: outputs, scale: scale)
      return (
        BlockAxis(axis, offset: inputs.lowerBound, available: available, kept: kept), axis.weights.taps <= Self.mostTaps
      )
    }
  }
}

/// The few values that were asked for last; what is asked for often comes first.
private struct Recent<Key: Equatable, Value> {
  private let limit: Int
  private var kept: [(key: Key, value: Value)] = []

  init(limit: Int) { self.limit = limit }

  mutating func value(_ key: Key, make: () -> (Value, isKept: Bool)) -> Value {
    if let place = kept.firstIndex(where: { $0.key == key }) {
      if place > 0 { kept.swapAt(place, place - 1) }
      return kept[max(0, place - 1)].value
    }
    let (value, isKept) = make()
    guard isKept else { return value }
    if kept.count == limit { kept.removeLast() }
    kept.append((key, value))
    return value
  }
}
