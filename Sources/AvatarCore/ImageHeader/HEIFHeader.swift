/// Reads the boxes of an AVIF or HEIC file that tell its kind and size. (ISO/IEC 14496-12 and 23008-12.)
///
/// The decoder applies the container's turns, so `orientation` stays 1 and EXIF is not asked.
enum HEIFHeader {
  /// Boxes are few; a file that is nothing but tiny ones is not an image.
  private static let maximumBoxes = 4096

  /// AVIF or HEIC by the brands of the `ftyp` box; nil for other kinds of the family (video, JPEG 2000, Canon raw).
  static func format(of view: ByteView) -> ImageFormat? {
    guard let length = view.big(0, 4) else { return nil }
    let end = min(length < 16 ? 16 : length, view.count, 4096)
    let brands = [8] + Array(stride(from: 16, to: end - 3, by: 4))
    var isHEIF = false
    for offset in brands {
      if view.matches("avif", at: offset) || view.matches("avis", at: offset) { return .avif }
      for name: StaticString in ["heic", "heix", "heim", "heis", "hevc", "hevx"] where view.matches(name, at: offset) {
        return .heic
      }
      if view.matches("mif1", at: offset) || view.matches("msf1", at: offset) { isHEIF = true }
    }
    return isHEIF ? .heic : nil
  }

  static func read(_ source: [UInt8], as format: ImageFormat) throws(AvatarError) -> ImageHeader {
    let view = ByteView(bytes: source)
    var header = ImageHeader(format: format, width: 0, height: 0, essence: source)
    header.isDecodedWhole = true
    var budget = maximumBoxes
    var hasMeta = false
    var hasPixels = false
    var pending: [Range<Int>] = []
    let isWhole = try walk(view, 0..<source.count, &budget) { name, body in
      if name == "mdat" || name == "idat" { hasPixels = true }
      if name == "meta" && body.count > 4 {
        hasMeta = true
        pending.append(body.dropFirst(4))
      }
    }
    guard hasMeta else { throw .corrupt("HEIF without a meta box") }
    // Junk behind the pixels reads as a box that is cut short; a cut before their end is no picture.
    guard isWhole || hasPixels else { throw .corrupt("HEIF cut short") }
    // The largest sides of any item bound what is decoded: tiles and thumbnails are smaller than what they belong to.
    while let range = pending.popLast() {
      let isWhole = try walk(view, range, &budget) { name, body in
        if name == "iprp" || name == "ipco" { pending.append(body) }
        if name == "ispe", body.count >= 12, let width = view.big(body.lowerBound + 4, 4),
          let height = view.big(body.lowerBound + 8, 4), header.width < width || header.height < height
        {
          header.width = max(header.width, width)
          header.height = max(header.height, height)
        }
      }
      guard isWhole else { throw .corrupt("HEIF box longer than its parent") }
    }
    return header
  }

  /// Calls `visit` for each box in `range`; false where the last one is longer than what is there.
  private static func walk(
    _ view: ByteView, _ range: Range<Int>, _ budget: inout Int, _ visit: (String, Range<Int>) -> Void
  ) throws(AvatarError) -> Bool {
    var offset = range.lowerBound
    while offset + 8 <= range.upperBound, var length = view.big(offset, 4) {
      budget -= 1
      guard budget > 0 else { throw .corrupt("HEIF of too many boxes") }
      var start = offset + 8
      if length == 1 {
        guard view.big(offset + 8, 4) == 0, let low = view.big(offset + 12, 4) else { return false }
        length = low
        start = offset + 16
      } else if length == 0 {
        length = range.upperBound - offset
      }
      guard length >= start - offset && length <= range.upperBound - offset else { return false }
      visit(String(decoding: view.bytes[offset + 4..<offset + 8], as: UTF8.self), start..<offset + length)
      offset += length
    }
    return true
  }
}
