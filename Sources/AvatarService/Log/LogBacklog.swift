/// Lines that wait to be written, within a bound: what does not fit is counted, never waited for.
struct LogBacklog {
  /// The most bytes that wait.
  let limit: Int
  private var bytes: [UInt8] = []
  /// Lines that were dropped and not reported yet.
  private(set) var dropped = 0
  /// No line is taken any more.
  var isClosed = false

  init(limit: Int) { self.limit = limit }

  var isEmpty: Bool { bytes.isEmpty && dropped == 0 }

  /// Takes a line. True where nothing was waiting before it: somebody must be woken.
  mutating func append(_ line: [UInt8]) -> Bool {
    guard !isClosed else { return false }
    let wasEmpty = isEmpty
    guard bytes.count + line.count <= limit else {
      dropped += 1
      return wasEmpty
    }
    bytes += line
    return wasEmpty
  }

  /// Hands out all that waits, and how many lines were dropped behind it.
  mutating func takeAll() -> (bytes: [UInt8], dropped: Int) {
    defer {
      bytes = []
      dropped = 0
    }
    return (bytes, dropped)
  }

  /// Lines that were taken but could not be written count as dropped.
  mutating func countDropped(_ lines: Int) { dropped += lines }
}
