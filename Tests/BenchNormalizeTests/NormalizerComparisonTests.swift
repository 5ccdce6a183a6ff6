import AvatarCore
import Foundation
import Testing

@testable import BenchNormalize

/// The instrument, not what it measures: no time is judged.
@Suite(.serialized)
struct NormalizerComparisonTests {
  private static func sample(_ name: String) throws -> NormalizerComparison.Sample {
    let samples = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../AvatarNormalizeTests/Samples")
    return NormalizerComparison.Sample(name: name, bytes: Array(try Data(contentsOf: samples.appending(path: name))))
  }

  @Test func `every sample gets a time of each for every round, and both come near the reference`() throws {
    let names = ["baseline.jpg", "orientation-6.jpg", "alpha.png", "still.webp"]
    let rows = try NormalizerComparison.run(samples: try names.map(Self.sample), rounds: 2, seconds: 0.001)
    #expect(rows.map(\.name) == names)
    for row in rows {
      #expect(row.ours.count == 2 && row.library.count == 2 && (row.ours + row.library).allSatisfy { $0 > 0 })
      #expect(row.spread.contains(row.ratio))
      #expect(row.nearness.psnr > 25 && row.nearness.ssim > 0.9, "\(row.name): \(row.nearness)")
      #expect(row.libraryNearness.psnr > 20 && row.libraryNearness.ssim > 0.8, "\(row.name): \(row.libraryNearness)")
    }
  }

  @Test func `what libvips refuses is said, with its name for it`() throws {
    let garbage = NormalizerComparison.Sample(name: "garbage", bytes: Array("no picture".utf8))
    #expect(throws: AvatarError.self) { try NormalizerComparison.run(samples: [garbage], rounds: 1, seconds: 0) }
  }

  @Test func `nearness is what its formulas say`() {
    func picture(_ value: (Int) -> UInt8) -> PlainPicture {
      PlainPicture(width: 16, height: 16, bands: 3, samples: (0..<16 * 16 * 3).map(value))
    }
    let ramp = picture { UInt8($0 % 200) }
    let same = Nearness(of: ramp, to: ramp)
    #expect(same.psnr == 100 && abs(same.ssim - 1) < 1e-9)
    // Ten everywhere: 20 log₁₀(255/10).
    let brighter = Nearness(of: picture { UInt8($0 % 200 + 10) }, to: ramp)
    #expect(abs(brighter.psnr - 28.1308) < 0.001 && brighter.ssim > 0.9)
    // Flat pictures differ in their means alone: (2ab + C1) / (a² + b² + C1).
    let flat = Nearness(of: picture { _ in 100 }, to: picture { _ in 200 })
    #expect(abs(flat.ssim - 40_006.5025 / 50_006.5025) < 1e-6)
    #expect(Nearness(of: ramp, to: PlainPicture(width: 1, height: 1, bands: 3, samples: [0, 0, 0])).ssim == 0)
  }
}
