import AvatarCore
import Testing

@testable import AvatarNormalize

/// JPEGs written by hand, block by block, for what no encoder would write.
struct JPEGLanesTests {
  /// Bits, the first on top, as entropy-coded data: stuffed, and padded with ones.
  private struct Bits {
    private var bits: [Bool] = []

    mutating func put(_ value: Int, _ count: Int) {
      for bit in (0..<count).reversed() { bits.append(value >> bit & 1 == 1) }
    }

    var bytes: [UInt8] {
      let padded = bits + [Bool](repeating: true, count: (8 - bits.count % 8) % 8)
      return stride(from: 0, to: padded.count, by: 8).flatMap { start -> [UInt8] in
        let byte = padded[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
        return byte == 0xFF ? [0xFF, 0] : [byte]
      }
    }
  }

  private func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
    let length = content.count + 2
    return [0xFF, marker, UInt8(length >> 8), UInt8(length & 255)] + content
  }

  /// Up to its data: luma and chroma of 160², whole, in one scan of these components. A difference of DC values is 0 by one bit of 0, an end of block too, and a
  /// coefficient sixteen bits and its ten.
  private func head(scanOf components: [UInt8] = [1, 2, 3]) -> [UInt8] {
    var bytes: [UInt8] = [0xFF, 0xD8]
    bytes += segment(0xE0, Array("JFIF".utf8) + [0, 1, 1, 0, 0, 1, 0, 1, 0, 0])
    bytes += segment(0xDB, [0] + [UInt8](repeating: 1, count: 64))
    bytes += segment(0xC0, [8, 0, 160, 0, 160, 3] + (1...3).flatMap { [$0, 0x11, 0] as [UInt8] })
    bytes += segment(0xC4, [0x00, 1, 1] + [UInt8](repeating: 0, count: 14) + [0, 1])
    bytes += segment(0xC4, [0x10, 1] + [UInt8](repeating: 0, count: 14) + [1, 0, 0x0A])
    return bytes
      + segment(0xDA, [UInt8(components.count)] + components.flatMap { [$0, 0] as [UInt8] } + [0, 63, 0])
  }

  private let blocks = 20 * 20 * 3

  /// Blocks with so many coefficients each.
  private func data(_ counts: [Int]) -> [UInt8] {
    var bits = Bits()
    for count in counts {
      bits.put(0, 1)
      for _ in 0..<count {
        bits.put(0x8000, 16)
        bits.put(0x2AA, 10)
      }
      if count < 63 { bits.put(0, 1) }
    }
    return bits.bytes
  }

  private func planes(_ jpeg: [UInt8], isQuick: Bool) throws(AvatarError) -> [UInt8]? {
    let decoder = try JPEGDecoder(axes: ResamplingAxes(), isQuick: isQuick)
    let header = try ImageHeader(of: jpeg)
    let placement = Placement(width: 160, height: 160, recipe: Recipe(size: 16))
    return try decoder.planes(header, placement: placement)?.luma.withBytes { Array($0) }
  }

  /// The first lane came to the last block while both were reading, and nobody asked whether there had been as many bits.
  @Test func `a last block that is cut is not sound, whichever lane reads it`() throws {
    for (many, few, last) in [(14, 4, 16), (0, 0, 63), (40, 8, 30), (600, 2, 63)] {
      let counts =
        [Int](repeating: 0, count: blocks - 2 - many) + [Int](repeating: few, count: many) + [last, 63]
      let whole = data(counts)
      #expect(try planes(head() + whole + [0xFF, 0xD9], isQuick: true) != nil)
      for cut in [1, 20, 60] {
        let jpeg = head() + whole.dropLast(cut) + [0xFF, 0xD9]
        for isQuick in [true, false] {
          let error = #expect(throws: AvatarError.self) { try planes(jpeg, isQuick: isQuick) }
          #expect(error?.code == .imageCorrupt, "\(many) of \(few), \(last), less \(cut), \(isQuick)")
        }
      }
    }
  }

  @Test func `a component without a scan has no coefficients, which is no fault`() throws {
    // Luma alone: grey in its middle, a brighter block.
    let jpeg = head(scanOf: [1]) + data([Int](repeating: 0, count: 399) + [1]) + [0xFF, 0xD9]
    for isQuick in [true, false] {
      #expect(try planes(jpeg, isQuick: isQuick)?.first == 128)
    }
  }
}
