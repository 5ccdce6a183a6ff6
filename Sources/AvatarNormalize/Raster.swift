internal import AvatarCore

/// Pixels in memory: eight bits a sample, row by row, without gaps.
struct Raster {
  let pixels: PinnedBytes
  let width: Int
  let height: Int
  /// Bytes a pixel; with 2 and without inks with 4 the last is alpha.
  let bands: Int
  /// What the bands before an alpha mean.
  let colour: Picture.Colour

  init(_ pixels: PinnedBytes, width: Int, height: Int, bands: Int, colour: Picture.Colour) {
    precondition(pixels.count == width * height * bands, "a raster without gaps")
    (self.pixels, self.width, self.height, self.bands, self.colour) = (pixels, width, height, bands, colour)
  }

  /// Whether it is red, green and blue, ready to be written.
  var isPlain: Bool { colour == .rgb && bands == 3 }
  var hasAlpha: Bool { bands == 2 || (bands == 4 && colour == .rgb) }

  /// Lends `columns` of each of `rows` to `take`, from top to bottom.
  func withRows(_ rows: Range<Int>, columns: Range<Int>, _ take: (UnsafeRawBufferPointer) -> Void) {
    pixels.withBytes { bytes in
      for row in rows {
        let start = (row * width + columns.lowerBound) * bands
        take(UnsafeRawBufferPointer(rebasing: bytes[start..<start + columns.count * bands]))
      }
    }
  }
}
