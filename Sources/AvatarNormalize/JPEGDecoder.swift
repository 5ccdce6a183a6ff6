internal import AvatarCore
internal import CJPEG

/// Decodes JPEGs with libjpeg-turbo, at a half, a quarter or an eighth of their size where that is enough: the inverse DCT makes
/// only the pixels that are used.
///
/// libvips would do the same for more, and cannot tell data that ends early from harmless oddities.
final class JPEGDecoder {
  private let reader: OpaquePointer
  private let axes: ResamplingAxes
  private let isQuick: Bool
  private let betweenRows: () -> Void
  /// Who reads the present picture's entropy-coded data.
  private var entropy: CJPEGEntropy

  /// With `isQuick` false the entropy-coded data are all libjpeg-turbo's, with the same pictures.
  init(
    axes: ResamplingAxes, isQuick: Bool = true, betweenRows: @escaping () -> Void = {}
  ) throws(AvatarError) {
    self.axes = axes
    self.betweenRows = betweenRows
    self.isQuick = isQuick
    entropy = CJPEG_LIBRARY
    guard let reader = cjpeg_reader_create() else { throw AvatarError(.internalFault, "no JPEG reader") }
    self.reader = reader
  }

  deinit { cjpeg_reader_destroy(reader) }

  /// The last picture's entropy-coded data were not the library's, at the first or the second reading.
  var wasQuick: Bool { cjpeg_reader_is_quick(reader) != 0 }

  /// The part of `header`'s picture that the placement uses, and how that becomes the avatar.
  ///
  /// It holds at most the larger of (3 × the avatar's side)² pixels and a 64th of the source's. Throws `image_corrupt` where
  /// the data ends before the last row.
  func decode(_ header: ImageHeader, placement: Placement) throws(AvatarError) -> (Raster, Window) {
    try withBytes(header) { start, count throws(AvatarError) in
      try decode(start, count, header, placement, Self.eighths(placement))
    }
  }

  /// The whole of `header`'s picture as the avatar's planes, as it is stored: for one that needs no change of its colours.
  ///
  /// Nil where the JPEG is not stored as such planes, most of it is cropped, or its chroma would come to lie beside its luma. Throws
  /// `image_corrupt` where the data ends before the last row.
  func planes(_ header: ImageHeader, placement: Placement) throws(AvatarError) -> Planes? {
    // Without red, green and blue nothing is skipped: rows and columns beside the crop are made too.
    guard placement.drawnWidth == placement.drawnHeight, placement.drawnWidth % Planes.granularity == 0,
      header.width * header.height <= 2 * placement.width * placement.height
    else { return nil }
    return try withBytes(header) { start, count throws(AvatarError) in
      try planes(start, count, header, placement)
    }
  }

  private func withBytes<Result>(
    _ header: ImageHeader, _ body: (UnsafePointer<UInt8>, Int) throws(AvatarError) -> Result
  ) throws(AvatarError) -> Result {
    let result: Swift.Result<Result, AvatarError> = header.essence.withUnsafeBufferPointer { bytes in
      guard let start = bytes.baseAddress else { return .failure(.corrupt("no bytes")) }
      entropy = isQuick ? CJPEG_QUICK : CJPEG_LIBRARY
      while true {
        let tried = entropy
        do throws(AvatarError) {
          return .success(try body(start, bytes.count))
        } catch {
          cjpeg_reader_abandon(reader)
          // Handed over to the library, which begins anew.
          guard entropy != tried else { return .failure(error) }
        }
      }
    }
    return try result.get()
  }

  /// At how many eighths of its size a picture is decoded: the other eighths have no vector code, three of them cost more than four.
  private static func eighths(_ placement: Placement) -> Int {
    [1, 2, 4].first { Double($0) >= 8 * spare / placement.reduction } ?? 8
  }

  /// How much the filter has left to reduce after the DCT, at least: with more the picture is better by what no eye sees, and
  /// with less it becomes soft.
  private static let spare = 1.4

  private static let rowsAtOnce = 2

  private func decode(
    _ bytes: UnsafePointer<UInt8>, _ count: Int, _ header: ImageHeader, _ placement: Placement, _ eighths: Int
  ) throws(AvatarError) -> (Raster, Window) {
    let (scaledWidth, scaledHeight) = Self.scaled(header, eighths)
    let divisor = 8 / Double(eighths)
    let window = placement.window(divisors: (divisor, divisor), width: scaledWidth, height: scaledHeight)
    // Chroma at the edge of a crop is interpolated from one more column than is asked for.
    let margin = 8
    let left = max(0, window.columns.lowerBound - margin)
    let right = min(scaledWidth, window.columns.upperBound + margin)
    var frame = CJPEGFrame()
    try check(
      cjpeg_reader_start(reader, entropy, bytes, count, UInt32(eighths), UInt32(left), UInt32(right - left), &frame))
    try checkSize(frame.width, frame.height, header, eighths)
    let rowBytes = Int(frame.columns) * Int(frame.bands)
    let pixels = PinnedBytes(count: rowBytes * window.rows.count)
    if window.rows.lowerBound > 0 { try check(cjpeg_reader_skip(reader, UInt32(window.rows.lowerBound))) }
    for row in stride(from: 0, to: window.rows.count, by: Self.rowsAtOnce) {
      try read(min(Self.rowsAtOnce, window.rows.count - row), rowBytes, into: pixels, from: row)
      betweenRows()
    }
    // What is skipped up to the end is not looked at, and what comes before a row that is read is.
    let below = scaledHeight - window.rows.upperBound
    if below > 1 { try check(cjpeg_reader_skip(reader, UInt32(below - 1))) }
    if below > 0 { try read(1, rowBytes, into: PinnedBytes(count: rowBytes), from: 0) }
    try check(cjpeg_reader_finish(reader))
    let colour: Picture.Colour =
      switch frame.pixels {
      case CJPEG_CMYK, CJPEG_CMYK_INVERTED: .cmyk
      case CJPEG_GREY: .grey
      default: .rgb
      }
    if frame.pixels == CJPEG_CMYK_INVERTED { pixels.withBytes { for index in $0.indices { $0[index] = ~$0[index] } } }
    let raster = Raster(
      pixels, width: Int(frame.columns), height: window.rows.count, bands: Int(frame.bands), colour: colour)
    return (raster, window.within(left: Int(frame.left), top: window.rows.lowerBound))
  }

  private func planes(
    _ bytes: UnsafePointer<UInt8>, _ count: Int, _ header: ImageHeader, _ placement: Placement
  ) throws(AvatarError) -> Planes? {
    var frames = [CJPEGPlane](repeating: CJPEGPlane(), count: 3)
    let status = cjpeg_reader_start_planes(reader, entropy, bytes, count, &frames)
    if status == CJPEG_UNSUPPORTED { return nil }
    try check(status)
    try checkSize(frames[0].width, frames[0].height, header, 8)
    var readers: [PlaneReader] = []
    for (index, frame) in frames.enumerated() {
      guard let part = PlaneReader(frame, placement, isChroma: index > 0, axes: axes) else {
        cjpeg_reader_abandon(reader)
        return nil
      }
      cjpeg_reader_keep(reader, Int32(index), UInt32(part.kept.across), UInt32(part.kept.down))
      readers.append(part)
    }
    // The rows below the crop too: their data is checked.
    let rowsOfSamples = Int(frames[0].rows) * BlockAxis.side
    for _ in 0..<(Int(frames[0].height) + rowsOfSamples - 1) / rowsOfSamples {
      try check(
        readers[0].withStep { luma in
          readers[1].withStep { blue in
            readers[2].withStep { red in cjpeg_reader_step(reader, luma, blue, red) }
          }
        })
      for index in readers.indices { readers[index].take() }
      betweenRows()
    }
    try check(cjpeg_reader_finish(reader))
    return Planes(
      side: placement.drawnWidth, luma: readers[0].finish(), blue: readers[1].finish(), red: readers[2].finish())
  }

  /// Reads the next rows into `pixels`, the first of them as its row `first`.
  private func read(_ rows: Int, _ rowBytes: Int, into pixels: PinnedBytes, from first: Int) throws(AvatarError) {
    try check(
      pixels.withBytes { bytes in
        guard let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return CJPEG_CORRUPT }
        return cjpeg_reader_read(reader, start + first * rowBytes, UInt32(rows), rowBytes)
      })
  }

  private static func scaled(_ header: ImageHeader, _ eighths: Int) -> (width: Int, height: Int) {
    ((header.width * eighths + 7) / 8, (header.height * eighths + 7) / 8)
  }

  private func checkSize(
    _ width: UInt32, _ height: UInt32, _ header: ImageHeader, _ eighths: Int
  ) throws(AvatarError) {
    guard (Int(width), Int(height)) == Self.scaled(header, eighths) else { throw .corrupt("two sizes in one JPEG") }
  }

  private func check(_ status: CJPEGStatus) throws(AvatarError) {
    switch status {
    case CJPEG_OK: return
    case CJPEG_UNSUPPORTED: throw .unsupported("a kind of JPEG that is not decoded")
    case CJPEG_TRUNCATED: throw .corrupt("JPEG ends before its last row")
    case CJPEG_IRREGULAR:
      entropy = CJPEG_LIBRARY
      throw .corrupt("JPEG is to be read by the library")
    case CJPEG_NO_MEMORY: throw .corrupt("JPEG needs more memory than there is")
    default: throw .corrupt("JPEG does not decode")
    }
  }
}
