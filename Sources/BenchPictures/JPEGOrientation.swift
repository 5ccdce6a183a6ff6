/// How a viewer is to turn a JPEG, said as cameras say it (EXIF 2.3, tag 274).
struct JPEGOrientation {
  /// A quarter of a turn, clockwise: a camera held upright.
  static let quarterTurn = JPEGOrientation(value: 6)

  let value: UInt8

  /// The JPEG with an EXIF segment right behind its start; there must be none yet.
  func inserted(in jpeg: [UInt8]) -> [UInt8] {
    let directory: [UInt8] = [
      1, 0,  // entries
      0x12, 0x01, 3, 0, 1, 0, 0, 0, value, 0, 0, 0,  // tag 274, one short
      0, 0, 0, 0,  // no further directory
    ]
    let content = Array("Exif\0\0".utf8) + [0x49, 0x49, 42, 0, 8, 0, 0, 0] + directory
    return jpeg.prefix(2) + [0xFF, 0xE1, 0, UInt8(content.count + 2)] + content + jpeg.dropFirst(2)
  }
}
