import CResample
import Glibc
import Testing

@testable import AvatarNormalize

/// Resampling from coefficients beside the same from samples (decision 24).
struct BlockAxisTests {
  /// ITU-T T.81, A.3.3, as it stands there: eight samples of eight coefficients.
  private func samples(_ coefficients: [Double]) -> [Double] {
    (0..<8).map { sample in
      (0..<8).reduce(0) { sum, index in
        let norm = index == 0 ? 0.5.squareRoot() : 1
        return sum + norm / 2 * coefficients[index] * cos(Double((2 * sample + 1) * index) * .pi / 16)
      }
    }
  }

  private struct Case: CustomTestStringConvertible {
    let inputs: Range<Int>
    let blocks: Int
    let outputs: Int
    let kept: Int
    var testDescription: String { "\(inputs) of \(blocks) blocks to \(outputs), \(kept) kept" }
  }

  @Test(arguments: [
    Case(inputs: 0..<1024, blocks: 128, outputs: 256, kept: 2),
    Case(inputs: 0..<1024, blocks: 128, outputs: 256, kept: 8),
    Case(inputs: 3..<403, blocks: 52, outputs: 256, kept: 6), Case(inputs: 0..<13, blocks: 2, outputs: 16, kept: 8),
    Case(inputs: 500..<3500, blocks: 500, outputs: 256, kept: 2), Case(inputs: 0..<48, blocks: 6, outputs: 48, kept: 8),
    Case(inputs: 5..<37, blocks: 5, outputs: 8, kept: 4), Case(inputs: 2..<3, blocks: 1, outputs: 8, kept: 8),
  ])
  private func `an output is the same sum of coefficients as of samples`(_ given: Case) {
    let axis = ResamplingAxis(
      inputs: given.inputs.count, outputs: given.outputs, scale: Double(given.outputs) / Double(given.inputs.count))
    let blocks = BlockAxis(axis, offset: given.inputs.lowerBound, available: given.blocks, kept: given.kept)
    var random = SeededRandom(seed: UInt64(given.inputs.count))
    // As large as those of black and white; what is not kept is not there.
    let coefficients = (0..<given.blocks * 8).map { place in
      place % 8 < given.kept ? Double.random(in: -180...180, using: &random).rounded() : 0
    }
    let all = (0..<given.blocks).flatMap { samples(Array(coefficients[$0 * 8..<$0 * 8 + 8])) }
    for output in 0..<given.outputs {
      var (wanted, found) = (0.0, 0.0)
      axis.weights.withWeights(of: output) { weights in
        for tap in 0..<axis.weights.taps {
          wanted += Double(weights[tap]) * all[given.inputs.lowerBound + axis.first(of: output) + tap]
        }
      }
      blocks.weights.withWeights(of: output) { weights in
        for tap in 0..<blocks.weights.taps {
          let (block, index) = (blocks.firstBlock(of: output) + tap / given.kept, tap % given.kept)
          #expect(block < given.blocks)
          found += Double(weights[tap]) / 32768 * coefficients[block * 8 + index]
        }
      }
      #expect(abs(found - wanted) < 0.08, "output \(output): \(found), \(wanted)")
    }
  }

  /// The loops in C, which the machine's wide instructions do, beside the sums that they stand for; extreme numbers wrap and come to an end.
  @Test(arguments: [(1, 16, 1200), (4, 250, 1200), (24, 34, 1200), (3, 40, 32767)])
  func `sums are exact to their last bit`(_ count: Int, _ columns: Int, _ extreme: Int) {
    var random = SeededRandom(seed: UInt64(count))
    func numbers(_ count: Int, _ extreme: Int) -> [Int16] {
      (0..<count).map { _ in Int16(Int.random(in: -extreme...extreme, using: &random)) }
    }
    let (taps, outputs, rows) = (14, 24, Int(CRESAMPLE_ROWS))
    let mixed = PinnedRows<Int16>(count: rows, length: columns)
    let lines = PinnedRows<Int16>(count: count, length: 2 * columns)
    for line in 0..<count {
      for (place, number) in numbers(2 * columns, extreme).enumerated() { lines[line][place] = number }
    }
    let down = numbers(2 * count * rows, extreme == 32767 ? extreme : 9000 / count)
    cresample_mix_blocks(
      (0..<count).map { UnsafePointer(lines[$0]) }, down, rows, count, columns, mixed[0], mixed.stride)
    for row in 0..<rows {
      for column in 0..<columns {
        var sum: Int32 = 1 << 8
        for line in 0..<count {
          for half in 0..<2 {
            sum &+= Int32(lines[line][2 * column + half]) * Int32(down[2 * (row * count + line) + half])
          }
        }
        #expect(mixed[row][column] == Int16(clamping: sum >> 9), "row \(row), column \(column)")
      }
    }
    let across = numbers(outputs * taps, extreme == 32767 ? extreme : 3000)
    let first = (0..<outputs).map { Int32($0 * (columns - taps) / (outputs - 1) / 2 * 2) }
    let turned = PinnedRows<Int16>(count: 1, length: rows * (columns + 16))
    var bytes = [UInt8](repeating: 0, count: rows * outputs)
    cresample_shrink_blocks(
      mixed[0], mixed.stride, columns, first, across, taps, outputs, turned[0], &bytes, outputs)
    for row in 0..<rows {
      for output in 0..<outputs {
        var sum: Int32 = (1 << 20) + 128 << 21
        for tap in 0..<taps { sum &+= Int32(mixed[row][Int(first[output]) + tap]) * Int32(across[output * taps + tap]) }
        #expect(bytes[row * outputs + output] == UInt8(clamping: sum >> 21), "row \(row), output \(output)")
      }
    }
  }
}
