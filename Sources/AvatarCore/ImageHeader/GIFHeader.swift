/// Reads a GIF's blocks up to the end of its first picture, and keeps those. (GIF89a.)
enum GIFHeader {
  static func read(_ source: [UInt8]) throws(AvatarError) -> ImageHeader {
    let view = ByteView(bytes: source)
    guard let width = view.little(6, 2), let height = view.little(8, 2), let flags = view.u8(10), view.has(0, 13) else {
      throw .corrupt("GIF cut short in its screen descriptor")
    }
    var header = ImageHeader(format: .gif, width: width, height: height, essence: [])
    header.isDecodedWhole = true
    var offset = 13 + tableBytes(flags)
    guard view.has(0, offset) else { throw .corrupt("GIF cut short in its colours") }
    var essence = Array(source[0..<offset])
    var control: Range<Int>?
    while let introducer = view.u8(offset) {
      switch introducer {
      case 0x21:
        guard let end = skipBlocks(view, from: offset + 2) else { throw .corrupt("GIF cut short before its picture") }
        if view.u8(offset + 1) == 0xF9 { control = offset..<end }
        offset = end
      case 0x2C:
        guard let left = view.little(offset + 1, 2), let top = view.little(offset + 3, 2),
          let frameWidth = view.little(offset + 5, 2), let frameHeight = view.little(offset + 7, 2),
          let frameFlags = view.u8(offset + 9)
        else { throw .corrupt("GIF cut short in its picture's descriptor") }
        guard frameWidth > 0 && frameHeight > 0 else { throw .corrupt("a GIF picture of no pixels") }
        let pixels = offset + 10 + tableBytes(frameFlags)
        let end = skipBlocks(view, from: pixels + 1)
        let unused = try GIFPixelCount.check(view, from: pixels, width: frameWidth, height: frameHeight)
        if width == 0 || height == 0 {
          // A screen of no size: the picture's own counts, as in browsers.
          header.width = left + frameWidth
          header.height = top + frameHeight
          for (index, value) in [header.width, header.width >> 8, header.height, header.height >> 8].enumerated() {
            essence[6 + index] = UInt8(truncatingIfNeeded: value)
          }
        }
        header.width = max(header.width, left + frameWidth)
        header.height = max(header.height, top + frameHeight)
        let coversScreen = left == 0 && top == 0 && frameWidth >= header.width && frameHeight >= header.height
        let hasClear = control.flatMap { view.u8($0.lowerBound + 3) }.map { $0 & 1 == 1 } ?? false
        if !coversScreen && !hasClear, let clear = unused.first {
          // What is never drawn is transparent, as in browsers; decoders fill it unless some colour is.
          essence += [0x21, 0xF9, 4, 1, 0, 0, UInt8(clear), 0]
        } else if let control {
          essence += source[control]
        }
        essence += source[offset..<(end ?? source.count)]
        if end == nil { essence.append(0) }
        essence.append(0x3B)
        header.frames = countFrames(view, from: end)
        header.essence = essence
        return header
      case 0x3B: throw .corrupt("GIF without a picture")
      default: offset += 1  // Stray bytes between blocks: decoders pass over them.
      }
    }
    throw .corrupt("GIF without a picture")
  }

  private static func tableBytes(_ flags: Int) -> Int { flags & 0x80 == 0 ? 0 : 3 << (flags & 7 + 1) }

  /// Where the chain of sub-blocks at `offset` ends, past its terminator; nil if the bytes end before.
  static func skipBlocks(_ view: ByteView, from offset: Int) -> Int? {
    var offset = offset
    while let length = view.u8(offset) {
      offset += 1 + length
      if length == 0 { return offset }
    }
    return nil
  }

  private static func countFrames(_ view: ByteView, from start: Int?) -> Int {
    guard var offset = start else { return 1 }
    var frames = 1
    while let introducer = view.u8(offset) {
      switch introducer {
      case 0x21:
        guard let end = skipBlocks(view, from: offset + 2) else { return frames }
        offset = end
      case 0x2C:
        guard let flags = view.u8(offset + 9), let end = skipBlocks(view, from: offset + 11 + tableBytes(flags)) else {
          return frames
        }
        frames += 1
        offset = end
      default: return frames
      }
    }
    return frames
  }
}
