internal import AvatarCore
internal import CWebP

/// Decodes still WebPs with libwebp.
///
/// libvips would do the same for more: its loader has the whole picture made by a thread of its own and copied twice.
enum WebPDecoder {
  /// The part of `header`'s picture that the placement uses, and how that becomes the avatar; nil for an animation.
  ///
  /// Throws `image_corrupt` where the decoder refuses the data or they end early.
  static func decode(_ header: ImageHeader, placement: Placement) throws(AvatarError) -> (Raster, Window)? {
    let decoded: Result<Raster?, AvatarError> = header.essence.withUnsafeBufferPointer { bytes in
      guard let start = bytes.baseAddress else { return .failure(.corrupt("no bytes")) }
      return Result { () throws(AvatarError) in try decode(start, bytes.count, placement.reduction) }
    }
    guard let raster = try decoded.get() else { return nil }
    let divisors = (Double(header.width) / Double(raster.width), Double(header.height) / Double(raster.height))
    return (raster, placement.window(divisors: divisors, width: raster.width, height: raster.height))
  }

  /// From here on libwebp averages while it decodes, down to twice the avatar: below, that costs more than it saves.
  private static let coarseReduction = 4.0

  private static func decode(
    _ start: UnsafePointer<UInt8>, _ count: Int, _ reduction: Double
  ) throws(AvatarError) -> Raster? {
    var frame = CWebPFrame()
    try check(cwebp_look(start, count, &frame))
    guard frame.isAnimated == 0 else { return nil }
    var (width, height) = (Int(frame.width), Int(frame.height))
    // The averages would mix the colours of hidden pixels in.
    if reduction >= coarseReduction && frame.hasAlpha == 0 {
      width = max(1, Int((Double(width) * 2 / reduction).rounded()))
      height = max(1, Int((Double(height) * 2 / reduction).rounded()))
    }
    let bands = frame.hasAlpha == 0 ? 3 : 4
    let pixels = PinnedBytes(count: width * height * bands)
    try check(
      pixels.withBytes {
        cwebp_decode(start, count, Int32(width), Int32(height), frame.hasAlpha, $0.baseAddress, $0.count)
      })
    return Raster(pixels, width: width, height: height, bands: bands, colour: .rgb)
  }

  private static func check(_ status: CWebPStatus) throws(AvatarError) {
    switch status {
    case CWEBP_OK: return
    case CWEBP_NO_MEMORY: throw .corrupt("WebP needs more memory than there is")
    default: throw .corrupt("WebP does not decode")
    }
  }
}
