/// Which inputs in a row make each output, and with what weights: as the loops in C want them.
struct TapWeights<Number> {
  /// The first input of each output.
  let first: [Int32]
  /// Weights of each output.
  let taps: Int
  private let weights: [Number]

  init(first: [Int32], taps: Int, weights: [Number]) {
    precondition(weights.count == first.count * taps, "each output has its weights")
    (self.first, self.taps, self.weights) = (first, taps, weights)
  }

  /// Lends the `taps` weights of `output`, and of those behind it.
  func withWeights(of output: Int, _ body: (UnsafePointer<Number>) -> Void) {
    weights.withUnsafeBufferPointer { if let start = $0.baseAddress { body(start + output * taps) } }
  }

  /// Lends the first input of each output, and all weights.
  func withAll(_ body: (UnsafePointer<Int32>, UnsafePointer<Number>) -> Void) {
    first.withUnsafeBufferPointer { first in
      weights.withUnsafeBufferPointer { weights in
        if let first = first.baseAddress, let weights = weights.baseAddress { body(first, weights) }
      }
    }
  }
}
