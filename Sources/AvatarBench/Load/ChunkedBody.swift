/// Counts a body in chunked transfer coding (RFC 9112, section 7.1).
struct ChunkedBody {
  /// Bytes of content so far.
  private(set) var bytes = 0
  private var part = Part.size
  private var size = 0
  private var digits = 0
  private var left = 0
  private var lineLength = 0

  private enum Part { case size, sizeRest, content, contentEnd, trailer }

  /// Takes what came from `start` on.
  mutating func read(_ piece: UnsafeRawBufferPointer, from start: Int) -> ResponseReader.Progress {
    var place = start
    while place < piece.count {
      if part == .content {
        let taken = min(left, piece.count - place)
        bytes += taken
        left -= taken
        place += taken
        if left == 0 { part = .contentEnd }
        continue
      }
      let byte = piece[place]
      place += 1
      switch part {
      case .size:
        if let digit = Self.hexadecimal(byte) {
          guard digits < 8 else { return .malformed }
          size = size * 16 + digit
          digits += 1
        } else if byte == 10 {
          guard endSize() else { return .malformed }
        } else {
          part = .sizeRest
        }
      case .sizeRest:
        if byte == 10, !endSize() { return .malformed }
      case .contentEnd:
        if byte == 10 { (part, size, digits) = (.size, 0, 0) }
      case .trailer:
        if byte == 10 {
          if lineLength == 0 { return .whole(used: place) }
          lineLength = 0
        } else if byte != 13 {
          lineLength += 1
        }
      case .content: break
      }
    }
    return .more
  }

  private mutating func endSize() -> Bool {
    guard digits > 0 else { return false }
    left = size
    part = size == 0 ? .trailer : .content
    return true
  }

  private static func hexadecimal(_ byte: UInt8) -> Int? {
    switch byte {
    case 48...57: Int(byte) - 48
    case 65...70: Int(byte) - 55
    case 97...102: Int(byte) - 87
    default: nil
    }
  }
}
