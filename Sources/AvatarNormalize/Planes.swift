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
}
