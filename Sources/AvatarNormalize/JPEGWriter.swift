internal import AvatarCore
internal import CJPEG

/// Writes baseline JPEGs with libjpeg-turbo: optimized tables, no metadata, halved chroma below quality 90, as libvips would.
final class JPEGWriter {
  private let writer: OpaquePointer

  init() throws(AvatarError) {
    guard let writer = cjpeg_writer_create() else { throw AvatarError(.internalFault, "no JPEG writer") }
    self.writer = writer
  }

  deinit { cjpeg_writer_destroy(writer) }

  /// `raster`, which must be red, green and blue, at the best of the recipe's qualities: lowered in steps of six while the
  /// result is over the recipe's target, and no further than its minimum.
  func write(_ raster: Raster, recipe: Recipe) throws(AvatarError) -> (jpeg: [UInt8], quality: Int) {
    var qualities = Array(stride(from: recipe.quality, to: recipe.minimumQuality, by: -6))
    qualities.append(recipe.minimumQuality)
    let best = try write(raster, quality: qualities[0])
    if best.count <= recipe.targetBytes || qualities.count == 1 { return (best, qualities[0]) }
    // Less quality makes less bytes: the first that is small enough lies in the lower or in the upper half.
    var (low, high) = (1, qualities.count - 1)
    var last: (jpeg: [UInt8], index: Int)?
    while low < high {
      let middle = (low + high) / 2
      let jpeg = try write(raster, quality: qualities[middle])
      if jpeg.count <= recipe.targetBytes { (high, last) = (middle, (jpeg, middle)) } else { low = middle + 1 }
    }
    if let last, last.index == low { return (last.jpeg, qualities[low]) }
    return (try write(raster, quality: qualities[low]), qualities[low])
  }

  private func write(_ raster: Raster, quality: Int) throws(AvatarError) -> [UInt8] {
    precondition(raster.isPlain, "three bands are written")
    var bytes: UnsafePointer<UInt8>?
    var count = 0
    let status = raster.pixels.withBytes {
      cjpeg_writer_write(
        writer, $0.baseAddress, UInt32(raster.width), UInt32(raster.height), Int32(quality), &bytes, &count)
    }
    guard status == CJPEG_OK, let bytes else { throw AvatarError(.internalFault, "JPEG writer: \(status.rawValue)") }
    return [UInt8](unsafeUninitializedCapacity: count) { target, filled in
      target.baseAddress?.update(from: bytes, count: count)
      filled = count
    }
  }
}
