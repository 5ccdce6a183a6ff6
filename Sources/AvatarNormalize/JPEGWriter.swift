internal import AvatarCore
internal import CJPEG
internal import Glibc

/// Writes baseline JPEGs with libjpeg-turbo: optimized tables, no metadata, halved chroma below quality 90, as libvips would.
final class JPEGWriter {
  /// What can be written.
  enum Square {
    /// Red, green and blue.
    case raster(Raster)
    /// For qualities below `fullChromaQuality`.
    case planes(Planes)
  }

  /// From here on chroma is written at the size of luma.
  static let fullChromaQuality = Int(CJPEG_FULL_CHROMA_QUALITY)

  private let writer: OpaquePointer

  /// With `countsItself` false the library makes its tables, which come out the same.
  init(countsItself: Bool = true) throws(AvatarError) {
    guard let writer = cjpeg_writer_create(countsItself ? 1 : 0) else {
      throw AvatarError(.internalFault, "no JPEG writer")
    }
    self.writer = writer
  }

  deinit { cjpeg_writer_destroy(writer) }

  /// `square` at the best of the recipe's qualities: lowered in steps of six while the result is over the recipe's target, and no
  /// further than its minimum.
  func write(_ square: Square, recipe: Recipe) throws(AvatarError) -> (jpeg: [UInt8], quality: Int) {
    var qualities = Array(stride(from: recipe.quality, to: recipe.minimumQuality, by: -6))
    qualities.append(recipe.minimumQuality)
    let best = try write(square, quality: qualities[0])
    if best.count <= recipe.targetBytes || qualities.count == 1 { return (best, qualities[0]) }
    // Less quality makes less bytes: the first that is small enough lies in the lower or in the upper half. The first cut is where it should be.
    var (low, high) = (1, qualities.count - 1)
    var last: (jpeg: [UInt8], index: Int)?
    let guess = qualities.firstIndex { Self.expected($0, of: best.count, at: qualities[0]) <= recipe.targetBytes }
    var cut = guess ?? high
    while low < high {
      let middle = max(low, min(high - 1, cut))
      let jpeg = try write(square, quality: qualities[middle])
      if jpeg.count <= recipe.targetBytes { (high, last) = (middle, (jpeg, middle)) } else { low = middle + 1 }
      cut = (low + high) / 2
    }
    if let last, last.index == low { return (last.jpeg, qualities[low]) }
    return (try write(square, quality: qualities[low]), qualities[low])
  }

  /// About how many bytes a photo of so many at one quality has at another: what libjpeg multiplies its tables by, to the power of -0.7.
  private static func expected(_ quality: Int, of bytes: Int, at other: Int) -> Int {
    func coarseness(_ quality: Int) -> Double {
      quality < 50 ? 5000 / Double(quality) : Double(max(1, 200 - 2 * quality))
    }
    return Int(Double(bytes) * pow(coarseness(other) / coarseness(quality), 0.7))
  }

  private func write(_ square: Square, quality: Int) throws(AvatarError) -> [UInt8] {
    var bytes: UnsafePointer<UInt8>?
    var count = 0
    let status =
      switch square {
      case .raster(let raster): write(raster, quality, &bytes, &count)
      case .planes(let planes): write(planes, quality, &bytes, &count)
      }
    guard status == CJPEG_OK, let bytes else { throw AvatarError(.internalFault, "JPEG writer: \(status.rawValue)") }
    return [UInt8](unsafeUninitializedCapacity: count) { target, filled in
      target.baseAddress?.update(from: bytes, count: count)
      filled = count
    }
  }

  private func write(
    _ raster: Raster, _ quality: Int, _ bytes: inout UnsafePointer<UInt8>?, _ count: inout Int
  ) -> CJPEGStatus {
    precondition(raster.isPlain, "three bands are written")
    return raster.pixels.withBytes {
      cjpeg_writer_write(
        writer, $0.baseAddress, UInt32(raster.width), UInt32(raster.height), Int32(quality), &bytes, &count)
    }
  }

  private func write(
    _ planes: Planes, _ quality: Int, _ bytes: inout UnsafePointer<UInt8>?, _ count: inout Int
  ) -> CJPEGStatus {
    planes.luma.withBytes { luma in
      planes.blue.withBytes { blue in
        planes.red.withBytes { red in
          cjpeg_writer_write_planes(
            writer, luma.baseAddress, blue.baseAddress, red.baseAddress, UInt32(planes.side), Int32(quality), &bytes,
            &count)
        }
      }
    }
  }
}
