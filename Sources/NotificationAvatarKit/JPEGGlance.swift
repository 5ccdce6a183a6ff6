import Foundation

/// Looks through a JPEG's segments, without decoding, to see whether it can be shown as it is.
enum JPEGGlance {
  /// Whether it is a whole JPEG of at most `side` pixels each way, grey or YCbCr, that nothing has to be done to: no Exif (which may turn
  /// it), no frame that phones do not decode.
  static func isReady(_ bytes: Data, side: Int) -> Bool {
    let bytes = [UInt8](bytes)
    guard bytes.starts(with: [0xFF, 0xD8]), bytes.count > 4, bytes.suffix(2) == [0xFF, 0xD9] else { return false }
    var hasFrame = false
    var at = 2
    while at + 4 <= bytes.count, bytes[at] == 0xFF {
      let marker = bytes[at + 1]
      if marker == 0xFF {  // A fill byte.
        at += 1
        continue
      }
      let length = Int(bytes[at + 2]) << 8 | Int(bytes[at + 3])
      guard length >= 2, at + 2 + length <= bytes.count else { return false }
      let segment = bytes[(at + 4)..<(at + 2 + length)]
      switch marker {
      case 0xC0, 0xC1, 0xC2:
        guard !hasFrame, isSmall(Array(segment), side) else { return false }
        hasFrame = true
      case 0xC4: break
      case 0xC3, 0xC5...0xCF: return false
      case 0xE1 where segment.starts(with: [0x45, 0x78, 0x69, 0x66]): return false
      case 0xDA: return hasFrame
      default: break
      }
      at += 2 + length
    }
    return false
  }

  private static func isSmall(_ frame: [UInt8], _ side: Int) -> Bool {
    guard frame.count >= 6, frame[0] == 8, frame[5] == 1 || frame[5] == 3 else { return false }
    let height = Int(frame[1]) << 8 | Int(frame[2])
    let width = Int(frame[3]) << 8 | Int(frame[4])
    return (1...side).contains(width) && (1...side).contains(height)
  }
}
