import AvatarCore
import Glibc

/// The check at the border: bytes that a worker calls an avatar are one by their structure, or they go no further.
///
/// ITU-T T.81 annex B: one baseline frame of three components and exactly the asked size, one scan, the end marker last, and
/// no segment that could carry anything but the picture. What the pixels show, nobody can check.
enum FinishedJPEG {
  private static let startOfImage: UInt8 = 0xD8
  private static let endOfImage: UInt8 = 0xD9

  /// Throws what is wrong.
  static func check(_ jpeg: [UInt8], size: Int) throws(WorkerMessageFault) {
    guard jpeg.count <= WorkerMessage.maximumAvatarBytes else {
      throw WorkerMessageFault("an avatar of \(jpeg.count) bytes")
    }
    guard jpeg.starts(with: [0xFF, startOfImage]) else { throw WorkerMessageFault("an avatar that is no JPEG") }
    var position = 2
    var hasFrame = false
    while true {
      guard position + 4 <= jpeg.count, jpeg[position] == 0xFF else { throw WorkerMessageFault("a cut segment") }
      let marker = jpeg[position + 1]
      let length = Int(jpeg[position + 2]) << 8 | Int(jpeg[position + 3])
      let end = position + 2 + length
      guard length >= 2, end <= jpeg.count else { throw WorkerMessageFault("a segment past the end") }
      switch marker {
      case 0xC0:
        guard !hasFrame else { throw WorkerMessageFault("two frames") }
        try checkFrame(jpeg[position + 4..<end], size: size)
        hasFrame = true
      case 0xDB, 0xC4, 0xDD: break  // Quantization and Huffman tables, restart interval.
      case 0xE0 where length == 16: break  // JFIF without a thumbnail.
      case 0xEE where length == 14: break  // Adobe's colour transform.
      case 0xDA:
        guard hasFrame else { throw WorkerMessageFault("a scan before its frame") }
        return try checkScan(jpeg[end...])
      default: throw WorkerMessageFault("a segment of kind \(marker)")
      }
      position = end
    }
  }

  private static func checkFrame(_ frame: ArraySlice<UInt8>, size: Int) throws(WorkerMessageFault) {
    let field = Array(frame)
    guard field.count == 15, field[0] == 8, field[5] == 3 else {
      throw WorkerMessageFault("not three components of 8 bits")
    }
    let height = Int(field[1]) << 8 | Int(field[2])
    let width = Int(field[3]) << 8 | Int(field[4])
    guard width == size, height == size else {
      throw WorkerMessageFault("\(width)×\(height) instead of \(size) squared")
    }
  }

  private static func checkScan(_ scan: ArraySlice<UInt8>) throws(WorkerMessageFault) {
    guard scan.count > 2, scan.suffix(2).elementsEqual([0xFF, endOfImage]) else {
      throw WorkerMessageFault("no end marker at the end")
    }
    let coded = scan.dropLast(2)
    try coded.withUnsafeBufferPointer { bytes throws(WorkerMessageFault) in
      guard let start = bytes.baseAddress else { return }
      var position = 0
      while position < bytes.count, let mark = memchr(start + position, 0xFF, bytes.count - position) {
        position = UnsafeRawPointer(mark) - UnsafeRawPointer(start)
        guard position + 1 < bytes.count else { throw WorkerMessageFault("a cut marker") }
        let next = bytes[position + 1]
        guard next == 0 || (0xD0...0xD7).contains(next) else {
          throw WorkerMessageFault("a marker \(next) within the scan")
        }
        position += 2
      }
    }
  }
}
