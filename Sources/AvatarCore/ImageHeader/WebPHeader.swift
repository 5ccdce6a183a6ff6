/// Reads a WebP's chunks and keeps those that make its first picture. (RFC 9649.)
enum WebPHeader {
  static func read(_ source: [UInt8]) throws(AvatarError) -> ImageHeader {
    let view = ByteView(bytes: source)
    var header = ImageHeader(format: .webp, width: 0, height: 0, essence: [])
    header.isDecodedWhole = true
    var body: [UInt8] = []
    var isExtended = false
    var frames = 0
    var offset = 12
    var hasPixels = false
    while let length = view.little(offset + 4, 4) {
      let start = offset + 8
      let padded = length + length & 1
      // The last chunk's padding may be missing; nothing else may.
      let isWhole = view.has(start, length)
      let name = String(decoding: source[offset..<offset + 4], as: UTF8.self)
      guard isWhole else {
        if hasPixels { break }  // Cut in what is not needed: a later frame, metadata.
        throw .corrupt("WebP cut short in \(name)")
      }
      switch name {
      case "VP8X" where offset == 12 && length >= 10:
        guard let width = view.little(start + 4, 3), let height = view.little(start + 7, 3) else { break }
        isExtended = true
        header.width = width + 1
        header.height = height + 1
        append(source, offset, start + length, to: &body)
        body[8] &= ~0x2C  // Says no more that a profile, EXIF or XMP follows: they are read here and left out.
      case "ALPH" where isExtended && !hasPixels, "ANIM" where isExtended && !hasPixels:
        append(source, offset, start + length, to: &body)
      case "VP8 ", "VP8L":
        guard !hasPixels else { break }
        guard let (width, height) = size(view, name, start) else { throw .corrupt("WebP frame without a size") }
        header.width = max(header.width, width)
        header.height = max(header.height, height)
        append(source, offset, start + length, to: &body)
        hasPixels = true
      case "ANMF" where isExtended:
        frames += 1
        if !hasPixels { append(source, offset, start + length, to: &body) }
        hasPixels = true
      case "ICCP" where header.profile == nil:
        header.profile = Array(source[start..<start + length])
      case "EXIF" where header.orientation == 1:
        let block = source[start..<start + length]
        let isPrefixed = view.matches("Exif\0\0", at: start) && length >= 6
        header.orientation = EXIFOrientation.read(isPrefixed ? block.dropFirst(6) : block)
      default: break
      }
      offset = start + padded
    }
    guard hasPixels else { throw .corrupt("WebP without pixels") }
    header.frames = max(1, frames)
    let size = body.count + 4
    header.essence = Array("RIFF".utf8) + (0..<4).map { UInt8(truncatingIfNeeded: size >> (8 * $0)) }
    header.essence += Array("WEBP".utf8) + body
    return header
  }

  private static func append(_ source: [UInt8], _ start: Int, _ end: Int, to body: inout [UInt8]) {
    body += source[start..<end]
    if (end - start) & 1 == 1 { body.append(0) }
  }

  private static func size(_ view: ByteView, _ name: String, _ start: Int) -> (Int, Int)? {
    if name == "VP8L" {
      guard view.u8(start) == 0x2F, let bits = view.little(start + 1, 4) else { return nil }
      return (bits & 0x3FFF + 1, bits >> 14 & 0x3FFF + 1)
    }
    guard view.u8(start + 3) == 0x9D, view.u8(start + 4) == 0x01, view.u8(start + 5) == 0x2A,
      let width = view.little(start + 6, 2), let height = view.little(start + 8, 2)
    else { return nil }
    return (width & 0x3FFF, height & 0x3FFF)
  }
}
