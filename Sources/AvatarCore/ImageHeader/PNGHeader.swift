/// Reads a PNG's chunks and keeps those that make the picture. (ISO/IEC 15948; APNG's default picture is the PNG.)
///
/// Texts, times, further frames and whatever else a decoder might inflate or trip over never reach it.
enum PNGHeader {
  /// A profile takes half a kilobyte to a few hundred; what claims more is not worth inflating.
  static let maximumProfileBytes = 1 << 20

  static func read(_ source: [UInt8]) throws(AvatarError) -> ImageHeader {
    let view = ByteView(bytes: source)
    guard view.matches("IHDR", at: 12), view.big(8, 4) == 13, view.has(8, 25), let width = view.big(16, 4),
      let height = view.big(20, 4), let interlace = view.u8(28)
    else { throw .corrupt("PNG without a whole IHDR") }
    var header = ImageHeader(format: .png, width: width, height: height, essence: [])
    header.isDecodedWhole = interlace != 0
    var essence = Array(source[0..<33])
    essence.reserveCapacity(source.count + 16)
    var hasPixels = false
    var hasEnded = false
    var seen: Set<String> = []
    var offset = 33
    while !hasEnded, let length = view.big(offset, 4), view.has(offset + 4, 4) {
      let name = String(decoding: source[offset + 4..<offset + 8], as: UTF8.self)
      let body = offset + 8
      let isWhole = view.has(body, length + 4)
      switch name {
      case "IDAT":
        hasPixels = true
        if isWhole {
          essence += source[offset..<body + length + 4]
        } else {
          // The rest of the file, as a chunk of that length. Whether all rows are in it, only inflating tells.
          let rest = min(source.count - body, length)
          appendChunk("IDAT", source[body..<body + rest], to: &essence)
        }
      case "PLTE", "tRNS":
        if isWhole && !hasPixels && seen.insert(name).inserted { essence += source[offset..<body + length + 4] }
      case "iCCP":
        if isWhole && !hasPixels && length <= maximumProfileBytes && !seen.contains("PLTE")
          && seen.insert(name).inserted
        {
          essence += source[offset..<body + length + 4]
        }
      case "acTL":
        header.frames = max(1, min(view.big(body, 4) ?? 1, 1 << 20))
      case "eXIf":
        if isWhole && seen.insert(name).inserted {
          header.orientation = EXIFOrientation.read(source[body..<body + length])
        }
      case "IEND":
        hasEnded = true
      default: break
      }
      guard isWhole else { break }
      offset = body + length + 4
    }
    guard hasPixels else { throw .corrupt("PNG without pixels") }
    appendChunk("IEND", [], to: &essence)
    header.essence = essence
    return header
  }

  private static func appendChunk(_ name: StaticString, _ body: ArraySlice<UInt8>, to bytes: inout [UInt8]) {
    bytes += (0..<4).map { UInt8(truncatingIfNeeded: body.count >> (24 - 8 * $0)) }
    let start = bytes.count
    name.withUTF8Buffer { bytes += $0 }
    bytes += body
    let check = CRC32.of(bytes[start...])
    bytes += (0..<4).map { UInt8(truncatingIfNeeded: check >> (24 - 8 * $0)) }
  }
}

/// The check sum of PNG chunks (ISO/IEC 15948, annex D).
private enum CRC32 {
  static func of(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    ~bytes.reduce(~0) { table[Int(($0 ^ UInt32($1)) & 255)] ^ $0 >> 8 }
  }
  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 0 ? value >> 1 : value >> 1 ^ 0xEDB8_8320 }
  }
}
