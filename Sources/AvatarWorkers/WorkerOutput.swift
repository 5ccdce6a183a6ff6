import AvatarCore
import Glibc

/// What a worker writes to its standard error, line by line. A worker may be in a stranger's hands: its text is bounded in all, then nobody
/// listens any more, and only printable ASCII is passed on.
final class WorkerOutput {
  /// Bytes that are read from one worker in its whole life.
  static let mostBytes = 64 << 10
  /// The longest line; a longer one is cut into several.
  static let longestLine = 512

  private let descriptor: Descriptor
  private var line: [UInt8] = []
  private var left = mostBytes

  var number: Int32 { descriptor.number }

  init(owning number: Int32) { descriptor = Descriptor(owning: number) }

  /// Whole lines that have come, and whether there may be more later.
  func read() -> (lines: [String], isOpen: Bool) {
    var lines: [String] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while left > 0 {
      let count = Glibc.read(descriptor.number, &chunk, min(chunk.count, left))
      if count < 0 {
        if errno == EINTR { continue }
        if errno == EAGAIN { return (lines, true) }
      }
      guard count > 0 else { break }
      left -= count
      for byte in chunk[..<count] {
        if byte != UInt8(ascii: "\n") { line.append(byte) }
        if byte == UInt8(ascii: "\n") || line.count == Self.longestLine { flush(into: &lines) }
      }
    }
    flush(into: &lines)
    return (lines, false)
  }

  private func flush(into lines: inout [String]) {
    if !line.isEmpty { lines.append(WorkerMessage.printable(line)) }
    line.removeAll(keepingCapacity: true)
  }
}
