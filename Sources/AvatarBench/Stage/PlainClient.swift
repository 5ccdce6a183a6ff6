import AvatarCore
import CLinux
import Glibc

/// One blocking HTTP/1.1 exchange at a time on a kept connection: for what is asked beside the load.
final class PlainClient {
  /// An answer.
  struct Answer {
    var status: Int
    /// The head as it came.
    var head: String
    var body: [UInt8]
    var text: String { String(decoding: body, as: UTF8.self) }

    /// The value of a header field as it came; `name` in small letters.
    func field(_ name: String) -> String? {
      for line in head.split(separator: "\r\n").dropFirst() {
        let parts = line.split(separator: ":", maxSplits: 1)
        if parts.count == 2, parts[0].lowercased() == name { return String(parts[1].drop { $0 == " " }) }
      }
      return nil
    }
  }

  let endpoint: Endpoint
  private let limit: Duration
  private var socket: Int32 = -1

  /// `limit` is the longest silence that is waited through.
  init(_ endpoint: Endpoint, limit: Duration = .seconds(15)) {
    self.endpoint = endpoint
    self.limit = limit
  }

  deinit { disconnect() }

  /// Asks; nil where no whole answer came. A kept connection that the server has closed meanwhile is opened again.
  func ask(_ method: String, _ target: String, body: String? = nil) -> Answer? {
    var book = RequestBook()
    book.add(method: method, host: "\(endpoint)", target: target, body: body)
    let wasOpen = socket >= 0
    if let answer = exchange(book.bytes) { return answer }
    return wasOpen ? exchange(book.bytes) : nil
  }

  /// The body of a 200; throws with what came instead.
  func get(_ target: String) throws(AvatarError) -> [UInt8] {
    guard let answer = ask("GET", target) else { throw AvatarError(.internalFault, "no answer to \(target)") }
    guard answer.status == 200 else { throw AvatarError(.internalFault, "\(answer.status) to \(target)") }
    return answer.body
  }

  private func exchange(_ request: [UInt8]) -> Answer? {
    guard connect() else { return nil }
    guard send(socket, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else { return failed() }
    var reader = ResponseReader()
    var received: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(socket, &piece, piece.count, 0)
      if count <= 0 {
        disconnect()
        return reader.isWholeAtEnd ? answer(reader, received) : nil
      }
      received += piece[..<count]
      switch piece.withUnsafeBytes({ reader.read(UnsafeRawBufferPointer(rebasing: $0[..<count])) }) {
      case .more: continue
      case .malformed: return failed()
      case .whole:
        if reader.closes { disconnect() }
        return answer(reader, received)
      }
    }
  }

  private func answer(_ reader: ResponseReader, _ received: [UInt8]) -> Answer? {
    let end = received.withUnsafeBytes { bytes -> Int? in
      guard let base = bytes.baseAddress, let found = linux_find(base, bytes.count, "\r\n\r\n", 4) else { return nil }
      return found - base + 4
    }
    guard let end else { return nil }
    return Answer(
      status: reader.status, head: String(decoding: received[..<end], as: UTF8.self),
      body: Array(received[end...]))
  }

  private func connect() -> Bool {
    guard socket < 0 else { return true }
    guard let opened = endpoint.connect(waits: true) else { return false }
    var time = timeval(tv_sec: Int(limit.wholeSeconds), tv_usec: Int(limit.milliseconds % 1000 * 1000))
    setsockopt(opened, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    socket = opened
    return true
  }

  private func failed() -> Answer? {
    disconnect()
    return nil
  }

  private func disconnect() {
    if socket >= 0 { close(socket) }
    socket = -1
  }
}
