internal import CResample
internal import Glibc

/// A `ResamplingAxis` for a side that is stored as the coefficients of 8-sample DCTs rather than as samples.
///
/// A sample is a sum of its block's coefficients, and an output a sum of samples: so an output is a sum of coefficients, whose weights are the axis's, transformed.
/// The inverse DCT is never made. Coefficients that stand for more detail than the output can show have next to no weight; a block's first `kept` are used.
final class BlockAxis {
  /// Coefficients of each block that are used: 2, 4, 6 or 8.
  let kept: Int
  let outputs: Int
  /// Blocks that each output is made of.
  let blocks: Int
  /// By the coefficients of a line.
  let weights: TapWeights<Int16>

  /// Of `axis`, whose inputs begin at the sample `offset` of `available` blocks.
  init(_ axis: ResamplingAxis, offset: Int, available: Int, kept: Int) {
    precondition(offset + axis.inputs <= available * Self.side, "the samples are there")
    (self.kept, outputs) = (kept, axis.outputs)
    let spans = (0..<axis.outputs).map { output in
      let start = offset + axis.first(of: output)
      return start / Self.side...(start + axis.weights.taps - 1) / Self.side
    }
    let blocks = min(available, spans.reduce(0) { max($0, $1.count) })
    let taps = blocks * kept
    var first: [Int32] = []
    var weights = [Int16](repeating: 0, count: axis.outputs * taps)
    var exact = [Double](repeating: 0, count: taps)
    for (output, span) in spans.enumerated() {
      let begin = min(span.lowerBound, available - blocks)
      first.append(Int32(begin * kept))
      for tap in exact.indices { exact[tap] = 0 }
      axis.weights.withWeights(of: output) { samples in
        let start = offset + axis.first(of: output)
        for tap in 0..<axis.weights.taps {
          let (block, place) = (start + tap).quotientAndRemainder(dividingBy: Self.side)
          for index in 0..<kept {
            exact[(block - begin) * kept + index] += Double(samples[tap]) * Self.waves[place * Self.side + index]
          }
        }
      }
      for (tap, weight) in exact.enumerated() { weights[output * taps + tap] = Self.fixed(weight) }
    }
    self.blocks = blocks
    self.weights = TapWeights(first: first, taps: taps, weights: weights)
  }

  /// The first block of `output`, at most that many before the last.
  func firstBlock(of output: Int) -> Int { Int(weights.first[output]) / kept }

  /// How many of a block's coefficients are used where so many samples become one: as many as make the picture no worse than libvips would, which
  /// `PlanesTests` and the benchmark's comparison measure.
  static func kept(reduction: Double) -> Int {
    reduction >= 3.9 ? 2 : reduction >= 1.9 ? 4 : reduction >= 1.5 ? 6 : side
  }

  /// Samples and coefficients of a block.
  static let side = 8

  /// ITU-T T.81, A.3.3: what each coefficient adds to each sample.
  private static let waves: [Double] = (0..<side * side).map { place in
    let (sample, index) = place.quotientAndRemainder(dividingBy: side)
    return (index == 0 ? 0.5.squareRoot() : 1) / 2 * cos(Double((2 * sample + 1) * index) * .pi / 16)
  }

  private static func fixed(_ weight: Double) -> Int16 {
    Int16(max(-32767, min(32767, (weight * Double(1 << CRESAMPLE_WEIGHT_BITS)).rounded())))
  }
}
