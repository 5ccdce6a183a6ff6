import AvatarCore
import Glibc
import Testing

@testable import AvatarNormalize

struct ResamplerTests {
  /// A picture of `samples` with one to four bands, resampled.
  private func resized(
    _ samples: [UInt8], width: Int, height: Int, to size: (width: Int, height: Int), hasAlpha: Bool? = nil
  ) -> [UInt8] {
    let bands = samples.count / (width * height)
    let window = Window(
      columns: 0..<width, rows: 0..<height, across: Double(size.width) / Double(width),
      down: Double(size.height) / Double(height), width: size.width, height: size.height)
    var resampler = Resampler(
      window, bands: bands, hasAlpha: hasAlpha ?? bands.isMultiple(of: 2), colour: bands < 3 ? .grey : .rgb,
      axes: ResamplingAxes())
    for row in 0..<height {
      let bytes = Array(samples[row * width * bands..<(row + 1) * width * bands])
      bytes.withUnsafeBytes { resampler.take($0) }
    }
    let result = resampler.finish()
    #expect(result.width == size.width && result.height == size.height && result.bands == bands)
    return result.pixels.withBytes { Array($0) }
  }

  @Test(arguments: [
    (1, 1, 16, 16), (2, 2, 256, 256), (1000, 3, 16, 16), (3, 1000, 16, 16), (100, 100, 33, 34), (63, 65, 64, 64),
    (4096, 1, 16, 1), (5, 5, 1, 1), (300, 300, 1, 300), (2000, 2000, 16, 16), (1, 1, 1024, 1024),
  ])
  func `one colour stays that colour at any size`(_ width: Int, _ height: Int, _ toWidth: Int, _ toHeight: Int) {
    let colour: [UInt8] = [201, 3, 255]
    let samples = (0..<width * height).flatMap { _ in colour }
    let result = resized(samples, width: width, height: height, to: (toWidth, toHeight))
    #expect(result.count == toWidth * toHeight * 3)
    #expect(zip(result, (0..<result.count).map { colour[$0 % 3] }).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
  }

  @Test(arguments: [2, 3, 7, 16])
  func `a picture reduced to few pixels has the mean of the whole`(_ factor: Int) {
    let side = 16 * factor
    let samples = SeededRandom.noise(side * side * 3, seed: UInt64(factor))
    let result = resized(samples, width: side, height: side, to: (16, 16))
    func mean(_ samples: [UInt8]) -> Double { Double(samples.reduce(0) { $0 + Int($1) }) / Double(samples.count) }
    #expect(abs(mean(result) - mean(samples)) < 2, "factor \(factor): \(mean(result)), \(mean(samples))")
  }

  @Test func `hidden colours weigh nothing`() {
    // One opaque red pixel among clear green ones: every mixture is red, only thinner.
    let samples: [UInt8] = [255, 0, 0, 255, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255, 0, 0]
    let result = resized(samples, width: 2, height: 2, to: (1, 1))
    #expect(result[0] == 255 && result[1] == 0 && result[3] > 40, "\(result)")
  }

  @Test func `a picture kept at its size keeps its bytes, whatever its bands`() {
    for bands in 1...4 {
      let samples = SeededRandom.noise(17 * 9 * bands, seed: UInt64(bands))
      #expect(resized(samples, width: 17, height: 9, to: (17, 9), hasAlpha: false) == samples, "\(bands) bands")
    }
  }

  @Test(arguments: [(41, 29, 16, 16), (64, 64, 24, 40), (7, 200, 3, 16), (9, 9, 25, 31), (33, 20, 20, 33)])
  func `every sample is Lanczos or bicubic to the nearest byte`(
    _ width: Int, _ height: Int, _ toWidth: Int, _ toHeight: Int
  ) {
    func kernel(_ x: Double, _ isReduced: Bool) -> Double {
      let x = abs(x)
      if isReduced {
        return x == 0 ? 1 : x >= 3 ? 0 : sin(.pi * x) / (.pi * x) * sin(.pi * x / 3) / (.pi * x / 3)
      }
      if x < 1 { return 1.5 * x * x * x - 2.5 * x * x + 1 }
      return x < 2 ? -0.5 * x * x * x + 2.5 * x * x - 4 * x + 2 : 0
    }
    func weights(_ inputs: Int, _ outputs: Int, _ output: Int) -> [Double] {
      let scale = Double(inputs) / Double(outputs)
      // Enlarged, the edge goes on outside.
      let margin = scale > 1 ? 0 : 3
      var raw = [Double](repeating: 0, count: inputs)
      for input in -margin..<inputs + margin {
        raw[max(0, min(inputs - 1, input))] += kernel(
          (Double(input) + 0.5 - (Double(output) + 0.5) * scale) / max(1, scale), scale > 1)
      }
      return raw.map { $0 / raw.reduce(0, +) }
    }
    for bands in [1, 3] {
      let samples = SeededRandom.noise(width * height * bands, seed: UInt64(width + bands))
      let result = resized(samples, width: width, height: height, to: (toWidth, toHeight))
      for y in 0..<toHeight {
        let down = weights(height, toHeight, y)
        for x in 0..<toWidth {
          let across = weights(width, toWidth, x)
          for band in 0..<bands {
            var exact = 0.0
            for row in 0..<height where down[row] != 0 {
              for column in 0..<width where across[column] != 0 {
                exact += down[row] * across[column] * Double(samples[(row * width + column) * bands + band])
              }
            }
            let found = Double(result[(y * toWidth + x) * bands + band])
            let isNearest = abs(found - max(0, min(255, exact))) < 0.501
            #expect(isNearest, "\(x), \(y), \(band): \(found) for \(exact)")
          }
        }
      }
    }
  }

  @Test func `two pixels made many are little brighter or darker than they are`() {
    // A bicubic overshoots a step by a fourteenth; one that left out what lies beyond the edge did so twice as much.
    let result = resized([40, 220], width: 2, height: 1, to: (64, 1), hasAlpha: false)
    #expect(result.prefix(16).allSatisfy { abs(Int($0) - 40) <= 15 }, "\(result)")
    #expect(result.suffix(16).allSatisfy { abs(Int($0) - 220) <= 15 }, "\(result)")
  }

  @Test func `transparent grey and colour keep their own colour at every thickness`() {
    for (pixel, bands) in [([200, 80] as [UInt8], 2), ([10, 250, 90, 40], 4)] {
      let samples = (0..<40 * 30).flatMap { _ in pixel }
      let result = resized(samples, width: 40, height: 30, to: (16, 12))
      let isKept = result.indices.allSatisfy { abs(Int(result[$0]) - Int(pixel[$0 % bands])) <= 1 }
      #expect(isKept, "\(bands) bands")
    }
  }
}
