@testable import AvatarCore

/// Builds headers byte by byte, so that a test says what is in them.
enum HeaderBytes {
  static func big(_ value: Int, _ length: Int) -> [UInt8] {
    (0..<length).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
  static func little(_ value: Int, _ length: Int) -> [UInt8] { big(value, length).reversed() }
  static func ascii(_ text: String) -> [UInt8] { Array(text.utf8) }
  private static func join(_ parts: [UInt8]...) -> [UInt8] { Array(parts.joined()) }

  // JPEG
  static func segment(_ marker: UInt8, _ body: [UInt8]) -> [UInt8] {
    join([0xFF, marker], big(body.count + 2, 2), body)
  }
  static func frame(_ width: Int, _ height: Int, marker: UInt8 = 0xC0, bits: UInt8 = 8) -> [UInt8] {
    let components: [UInt8] = [3, 0, 0x11, 0, 1, 0x11, 0, 2, 0x11, 0]
    return segment(marker, join([bits], big(height, 2), big(width, 2), components))
  }
  static func scan(_ components: UInt8 = 3) -> [UInt8] {
    let selectors = (0..<components).map { [$0, 0] as [UInt8] }
    return segment(0xDA, join([components], Array(selectors.joined()), [0, 63, 0]))
  }
  static func jpeg(_ parts: [UInt8]...) -> [UInt8] { join([0xFF, 0xD8], Array(parts.joined()), [0xFF, 0xD9]) }

  /// An entry of an EXIF directory.
  struct Entry {
    let tag: Int
    let type: Int
    let value: Int
    init(_ tag: Int, _ type: Int, _ value: Int) { (self.tag, self.type, self.value) = (tag, type, value) }
  }

  /// An EXIF block (without its name) with these directories.
  static func exif(_ entries: [Entry], second: [Entry] = [], little isLittle: Bool = false) -> [UInt8] {
    func number(_ value: Int, _ length: Int) -> [UInt8] { isLittle ? little(value, length) : big(value, length) }
    func directory(_ entries: [Entry], next: Int) -> [UInt8] {
      var bytes = number(entries.count, 2)
      for entry in entries {
        bytes += join(number(entry.tag, 2), number(entry.type, 2), number(1, 4))
        bytes += entry.type == 3 ? join(number(entry.value, 2), [0, 0]) : number(entry.value, 4)
      }
      return bytes + number(next, 4)
    }
    let next = second.isEmpty ? 0 : 8 + 2 + 12 * entries.count + 4
    var bytes = join(ascii(isLittle ? "II*\0" : "MM\0*"), number(8, 4), directory(entries, next: next))
    if !second.isEmpty { bytes += directory(second, next: 0) }
    return bytes
  }
  /// An EXIF block with an orientation.
  static func exif(orientation: Int) -> [UInt8] { exif([Entry(274, 3, orientation)]) }

  // PNG
  static func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
    join(big(body.count, 4), ascii(name), body, [1, 2, 3, 4])
  }
  static func png(_ width: Int, _ height: Int, interlace: UInt8 = 0, _ chunks: [UInt8]...) -> [UInt8] {
    let header = chunk("IHDR", join(big(width, 4), big(height, 4), [8, 2, 0, 0, interlace]))
    return join([0x89], ascii("PNG\r\n\u{1A}\n"), header, Array(chunks.joined()))
  }

  /// A GIF of two colours, its codes of three bits; `pixels` are the bytes of its one sub-block.
  static func gif(
    screen: (Int, Int), frame: (Int, Int), pixels: [UInt8], end: [UInt8] = [0, 0x3B]
  ) -> [UInt8] {
    let colours: [UInt8] = [0x80, 0, 0, 0, 0, 0, 255, 255, 255]
    let descriptor = join([0x2C, 0, 0, 0, 0], little(frame.0, 2), little(frame.1, 2), [0])
    return join(
      ascii("GIF89a"), little(screen.0, 2), little(screen.1, 2), colours, descriptor, [2, UInt8(pixels.count)], pixels,
      end)
  }

  /// A chunk of a RIFF file.
  struct Chunk {
    let name: String
    let body: [UInt8]
    init(_ name: String, _ body: [UInt8]) { (self.name, self.body) = (name, body) }
  }
  static func webp(_ chunks: [Chunk]) -> [UInt8] {
    var body = ascii("WEBP")
    for chunk in chunks {
      body += join(ascii(chunk.name), little(chunk.body.count, 4), chunk.body)
      if chunk.body.count % 2 == 1 { body.append(0) }
    }
    return join(ascii("RIFF"), little(body.count, 4), body)
  }
  static func vp8(_ width: Int, _ height: Int) -> Chunk {
    Chunk("VP8 ", join([0, 0, 0, 0x9D, 1, 0x2A], little(width, 2), little(height, 2), [9, 9]))
  }
  static func vp8x(_ width: Int, _ height: Int, flags: UInt8 = 0) -> Chunk {
    Chunk("VP8X", join([flags, 0, 0, 0], little(width - 1, 3), little(height - 1, 3)))
  }

  // HEIF
  static func box(_ name: String, _ body: [UInt8]) -> [UInt8] { join(big(body.count + 8, 4), ascii(name), body) }
  static func heif(brands: [String], sizes: [(Int, Int)]) -> [UInt8] {
    let properties = sizes.map { box("ispe", join([0, 0, 0, 0], big($0.0, 4), big($0.1, 4))) }
    let kind = join(ascii(brands[0]), [0, 0, 0, 0], ascii(brands.dropFirst().joined()))
    let meta = join([0, 0, 0, 0], box("iprp", box("ipco", Array(properties.joined()))))
    return join(box("ftyp", kind), box("meta", meta), box("mdat", [1, 2, 3]))
  }
}

/// The code that reading `source` throws; nil if it throws none.
func headerCode(_ source: [UInt8], limits: ImageLimits = ImageLimits()) -> AvatarError.Code? {
  do throws(AvatarError) {
    try ImageHeader(of: source, limits: limits).check(against: limits)
    return nil
  } catch {
    return error.code
  }
}
