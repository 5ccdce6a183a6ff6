/// A finished square as a JPEG holds it: luma, and chroma at half its side.
struct Planes {
  /// Pixels each way, a multiple of `granularity`.
  let side: Int
  /// `side`² samples, row by row.
  let luma: PinnedBytes
  /// (`side` / 2)² samples each.
  let blue: PinnedBytes
  let red: PinnedBytes

  /// Sides that are written without padding: two blocks of luma lie beside each other over one of chroma.
  static let granularity = 16

  /// The right way up, from EXIF's `orientation` (1…8).
  func turned(by orientation: Int) -> Planes {
    guard orientation != 1 else { return self }
    func turn(_ plane: PinnedBytes, _ side: Int) -> PinnedBytes {
      // Where the first sample is, and how far it is to the one at its right and to the one below.
      let (first, right, below) =
        switch orientation {
        case 2: (side - 1, -1, side)
        case 3: (side * side - 1, -1, -side)
        case 4: (side * (side - 1), 1, -side)
        case 5: (0, side, 1)
        case 6: (side * (side - 1), -side, 1)
        case 7: (side * side - 1, -side, -1)
        case 8: (side - 1, side, -1)
        default: (0, 1, side)
        }
      let result = PinnedBytes(count: side * side)
      plane.withBytes { source in
        result.withBytes { target in
          for y in 0..<side {
            for x in 0..<side { target[y * side + x] = source[first + y * below + x * right] }
          }
        }
      }
      return result
    }
    return Planes(side: side, luma: turn(luma, side), blue: turn(blue, side / 2), red: turn(red, side / 2))
  }
}
