/// One connection of a load loop and the request that is under way on it.
struct LoadConnection {
  /// -1 while it is not open.
  private(set) var socket: Int32 = -1
  /// The request's place in the book.
  var request = -1
  /// Its bytes that were sent, -1 once all are.
  var sent = 0
  /// When it was due, and when it is given up.
  var start: UInt64 = 0
  var deadline: UInt64 = 0
  /// Whether an answer has come on it before.
  var isUsed = false
  var watchesWriting = false
  var reader = ResponseReader()

  var isBusy: Bool { request >= 0 }

  mutating func opened(_ socket: Int32) {
    self.socket = socket
    (isUsed, watchesWriting, sent) = (false, false, 0)
    reader.reset()
  }

  /// Reads on in the answer.
  mutating func take(_ piece: UnsafeRawBufferPointer) -> ResponseReader.Progress {
    isUsed = true
    return reader.read(piece)
  }

  /// The answer has come: ready for the next request.
  mutating func ready() {
    (request, sent) = (-1, 0)
    reader.reset()
  }

  /// It was closed.
  mutating func dropped() {
    socket = -1
    ready()
  }
}
