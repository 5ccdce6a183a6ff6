import AvatarCore
import Testing

@testable import AvatarNormalize

struct JPEGWriterTests {
  /// A square whose blocks hold nothing, little and everything.
  private func square(_ side: Int) -> Raster {
    let pixels = PinnedBytes(count: side * side * 3)
    pixels.withBytes { bytes in
      let noise = SeededRandom.noise(bytes.count, seed: 7)
      for index in bytes.indices {
        let (x, y) = (index / 3 % side, index / 3 / side)
        bytes[index] = y < side / 3 ? 90 : y < 2 * side / 3 ? UInt8(truncatingIfNeeded: x + y) : noise[index]
      }
    }
    return Raster(pixels, width: side, height: side, bands: 3, colour: .rgb)
  }

  /// Its first band as luma, parts of it as chroma.
  private func planes(of raster: Raster) -> Planes {
    let half = raster.width / 2
    let luma = PinnedBytes(
      raster.pixels.withBytes { bytes in stride(from: 0, to: bytes.count, by: 3).map { bytes[$0] } })
    let quarter = luma.withBytes { Array($0.suffix(half * half)) }
    return Planes(side: raster.width, luma: luma, blue: PinnedBytes(quarter), red: PinnedBytes(quarter.reversed()))
  }

  /// We count the symbols and make the tables, the library writes by them: a picture has the bytes that it had by the library's own.
  @Test func `tables of ours are the library's`() throws {
    let (ours, library) = (try JPEGWriter(), try JPEGWriter(countsItself: false))
    for side in [8, 33, 128] {
      let square = square(side)
      for quality in [1, 20, 60, 82, 89, 90, 100] {
        let recipe = Recipe(size: side, quality: quality, minimumQuality: quality)
        let jpeg = try ours.write(.raster(square), recipe: recipe).jpeg
        #expect(try jpeg == library.write(.raster(square), recipe: recipe).jpeg, "\(side) at \(quality)")
        guard side % Planes.granularity == 0, quality < JPEGWriter.fullChromaQuality else { continue }
        let planes = JPEGWriter.Square.planes(planes(of: square))
        let short = try ours.write(planes, recipe: recipe).jpeg
        #expect(
          try short == library.write(planes, recipe: recipe).jpeg && short != jpeg, "planes, \(side) at \(quality)")
      }
    }
  }
}
