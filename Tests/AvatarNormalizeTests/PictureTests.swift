import AvatarCore
import Testing

@testable import AvatarNormalize

@Suite(.serialized)
struct PictureTests {
  /// A picture of `pixels` with three or four bands, resized, and its samples.
  private func resized(
    _ samples: [UInt8], width: Int, height: Int, to size: (width: Int, height: Int)
  ) throws -> [UInt8] {
    try VipsLibrary.start()
    let bands = samples.count / (width * height)
    let picture = try Picture.of(
      PinnedBytes(samples), width: width, height: height, bands: bands, colour: .rgb)
    let result = try picture.resized(
      across: Double(size.width) / Double(width), down: Double(size.height) / Double(height)
    ).evaluated()
    #expect(result.width == size.width && result.height == size.height)
    return result.basis?.withBytes { Array($0) } ?? []
  }

  private func noise(_ count: Int, seed: UInt64) -> [UInt8] {
    var state = seed
    return (0..<count).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: state >> 56)
    }
  }

  @Test(arguments: [
    (1, 1, 16, 16), (2, 2, 256, 256), (1000, 3, 16, 16), (3, 1000, 16, 16), (100, 100, 33, 34), (63, 65, 64, 64),
    (4096, 1, 16, 1), (5, 5, 1, 1), (300, 300, 1, 300), (2000, 2000, 16, 16), (1, 1, 1024, 1024),
  ])
  func `one colour stays that colour at any size`(_ width: Int, _ height: Int, _ toWidth: Int, _ toHeight: Int) throws {
    let colour: [UInt8] = [201, 3, 255]
    let samples = (0..<width * height).flatMap { _ in colour }
    let result = try resized(samples, width: width, height: height, to: (toWidth, toHeight))
    #expect(result.count == toWidth * toHeight * 3)
    #expect(zip(result, (0..<result.count).map { colour[$0 % 3] }).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
  }

  @Test(arguments: [2, 3, 7, 16])
  func `a picture reduced to few pixels has the mean of the whole`(_ factor: Int) throws {
    let side = 16 * factor
    let samples = noise(side * side * 3, seed: UInt64(factor))
    let result = try resized(samples, width: side, height: side, to: (16, 16))
    func mean(_ samples: [UInt8]) -> Double { Double(samples.reduce(0) { $0 + Int($1) }) / Double(samples.count) }
    #expect(abs(mean(result) - mean(samples)) < 2, "factor \(factor): \(mean(result)), \(mean(samples))")
  }

  @Test func `hidden colours weigh nothing`() throws {
    // One opaque red pixel among clear green ones: every mixture is red, only thinner.
    let samples: [UInt8] = [255, 0, 0, 255, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255, 0, 0]
    let result = try resized(samples, width: 2, height: 2, to: (1, 1))
    #expect(result[0] == 255 && result[1] == 0 && result[3] > 40, "\(result)")
  }
}
