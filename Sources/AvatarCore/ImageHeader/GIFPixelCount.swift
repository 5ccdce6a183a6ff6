/// Counts the pixels that a GIF picture's compressed data makes, without making them: decoders fill what is missing
/// with the background and do not tell. (GIF89a, appendix F.)
enum GIFPixelCount {
  /// The colours that the picture does not use, highest first. A colour's first pixel is always a code of its own, so that the
  /// codes tell. Throws `image_corrupt` if the sub-blocks from `offset` (the byte of the minimum code size) end before the last row.
  static func check(
    _ view: ByteView, from offset: Int, width: Int, height: Int
  ) throws(AvatarError) -> [Int] {
    var isUsed = [Bool](repeating: false, count: 4096)
    guard let minimum = view.u8(offset), (1...11).contains(minimum) else { throw .corrupt("GIF code size") }
    let needed = width * height
    let clear = 1 << minimum
    var lengths = [Int](repeating: 0, count: 4096)
    for code in 0..<clear { lengths[code] = 1 }
    var next = clear + 2
    var size = minimum + 1
    var previous: Int?
    var made = 0
    var bits = BlockBits(view: view, offset: offset + 1)
    while made < needed, let code = bits.take(size) {
      if code == clear {
        next = clear + 2
        size = minimum + 1
        previous = nil
        continue
      }
      if code == clear + 1 { break }
      isUsed[code] = true
      if let before = previous {
        guard code <= next else { throw .corrupt("GIF code out of range") }
        if next < 4096 {
          lengths[next] = lengths[before] + 1
          next += 1
          if next == 1 << size && size < 12 { size += 1 }
        }
        guard code < next else { throw .corrupt("GIF code out of range") }
        made += lengths[code]
        previous = code
      } else {
        guard code < clear else { throw .corrupt("GIF code out of range") }
        made += 1
        previous = code
      }
    }
    guard made >= needed else { throw .corrupt("GIF ends after \(made) of \(needed) pixels") }
    return (0..<256).reversed().filter { $0 >= clear || !isUsed[$0] }
  }
}

/// The bits of a chain of sub-blocks, least significant first.
private struct BlockBits {
  let view: ByteView
  var offset: Int
  private var left = 0
  private var buffer = 0
  private var held = 0

  init(view: ByteView, offset: Int) {
    self.view = view
    self.offset = offset
  }

  mutating func take(_ count: Int) -> Int? {
    while held < count {
      if left == 0 {
        guard let length = view.u8(offset), length > 0 else { return nil }
        left = length
        offset += 1
      }
      guard let byte = view.u8(offset) else { return nil }
      buffer |= byte << held
      held += 8
      offset += 1
      left -= 1
    }
    defer {
      buffer >>= count
      held -= count
    }
    return buffer & (1 << count - 1)
  }
}
