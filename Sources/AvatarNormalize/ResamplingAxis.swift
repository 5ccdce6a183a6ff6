internal import Glibc

/// Which inputs make each output along one side of a picture, and with what weights.
///
/// Lanczos of three lobes where pixels become fewer, a bicubic (Catmull-Rom: Keys 1981, a = -1/2) where they become more, which
/// rings less. What lies outside the picture counts for nothing where pixels become fewer, else it is what its edge is: without
/// that, two pixels made many would be brighter at their ends than they are. The weights of each output come to one.
final class ResamplingAxis {
  let inputs: Int
  let outputs: Int
  /// Those that an output does not need are zero.
  let weights: TapWeights<Float>

  /// `scale` is how many times as large the picture becomes; the middle stays in the middle.
  init(inputs: Int, outputs: Int, scale: Double) {
    precondition(inputs > 0 && outputs > 0 && scale > 0, "a picture has pixels")
    (self.inputs, self.outputs) = (inputs, outputs)
    let isKept = scale == 1 && inputs == outputs
    let stretch = max(1, 1 / scale)
    let isReduced = scale < 1
    let reach = isKept ? 0 : (isReduced ? 3 : 2) * stretch
    // What each output is made of, in inputs that may lie outside the picture.
    let spans = (0..<outputs).map { output in
      let middle = (Double(output) + 0.5 - Double(outputs) / 2) / scale + Double(inputs) / 2 - 0.5
      return (middle: middle, inputs: Int((middle - reach).rounded(.up))...Int((middle + reach).rounded(.down)))
    }
    let taps = min(inputs, spans.reduce(0) { max($0, $1.inputs.count) })
    var first: [Int32] = []
    var weights: [Float] = []
    first.reserveCapacity(outputs)
    weights.reserveCapacity(outputs * taps)
    for span in spans {
      let start = max(0, min(inputs - taps, span.inputs.lowerBound))
      var exact = [Double](repeating: 0, count: taps)
      for input in span.inputs {
        let inside = max(0, min(inputs - 1, input))
        if isReduced && inside != input { continue }
        let distance = (Double(input) - span.middle) / stretch
        exact[inside - start] += isReduced ? Self.lanczos(distance) : Self.cubic(distance)
      }
      let sum = exact.reduce(0, +)
      first.append(Int32(start))
      weights.append(contentsOf: exact.map { Float($0 / sum) })
    }
    self.weights = TapWeights(first: first, taps: taps, weights: weights)
  }

  /// The first input of `output`, at most `inputs` less its taps.
  func first(of output: Int) -> Int { Int(weights.first[output]) }

  private static func lanczos(_ x: Double) -> Double {
    if abs(x) < 1e-9 { return 1 }
    if abs(x) >= 3 { return 0 }
    // sin 3a = 3 sin a - 4 sin³ a: one sine instead of two.
    let angle = Double.pi * x / 3
    let sine = sin(angle)
    return sine * sine * (3 - 4 * sine * sine) / (3 * angle * angle)
  }

  private static func cubic(_ x: Double) -> Double {
    let x = abs(x)
    if x < 1 { return (1.5 * x - 2.5) * x * x + 1 }
    return x < 2 ? ((-0.5 * x + 2.5) * x - 4) * x + 2 : 0
  }
}
