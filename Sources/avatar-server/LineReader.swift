import AvatarCore
import AvatarService
import Glibc

/// The lines of a file or of standard input, one at a time, however many there are. Reads on the caller's thread: for commands only.
final class LineReader {
  private let descriptor: Int32
  private let size: Int?
  private var buffer: [UInt8] = []
  private var position = 0
  private var consumed = 0
  private var isAtEnd = false

  /// A source URL has at most 4,096 bytes; a longer line is cut here and refused by the parser.
  private static let longest = 16384

  init(_ list: Command.WarmList) throws(AvatarError) {
    switch list {
    case .standardInput:
      descriptor = STDIN_FILENO
      size = nil
    case .file(let path):
      descriptor = open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw AvatarError(.internalFault, "\(path) cannot be opened: errno \(errno)") }
      var status = stat()
      size = fstat(descriptor, &status) == 0 && status.st_size > 0 ? Int(status.st_size) : nil
    }
  }

  deinit { if descriptor != STDIN_FILENO { close(descriptor) } }

  /// How much of a file has been read, 0…1; nil for a pipe.
  var share: Double? { size.map { min(1, Double(consumed) / Double($0)) } }

  /// The next line without its end; nil after the last.
  func next() -> String? {
    while true {
      if let end = buffer[position...].firstIndex(of: 10) {
        defer { advance(to: end + 1) }
        return String(decoding: buffer[position..<end], as: UTF8.self)
      }
      if isAtEnd || buffer.count - position > Self.longest {
        guard position < buffer.count else { return nil }
        defer { advance(to: buffer.count) }
        return String(decoding: buffer[position...], as: UTF8.self)
      }
      fill()
    }
  }

  private func advance(to index: Int) {
    consumed += index - position
    position = index
  }

  private func fill() {
    buffer.removeFirst(position)
    position = 0
    var chunk = [UInt8](repeating: 0, count: 65536)
    let count = read(descriptor, &chunk, chunk.count)
    if count > 0 { buffer += chunk[..<count] } else if count == 0 || errno != EINTR { isAtEnd = true }
  }
}

extension String {
  /// Without blanks, tabs and carriage returns around it.
  var trimmed: String {
    let blanks: Set<Character> = [" ", "\t", "\r"]
    return String(drop { blanks.contains($0) }.reversed().drop { blanks.contains($0) }.reversed())
  }
}
