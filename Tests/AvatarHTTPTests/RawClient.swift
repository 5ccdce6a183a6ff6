import Glibc
import Testing

/// A client that sends exactly the bytes it is told and reads what comes.
final class RawClient {
  let descriptor: Int32

  init(port: UInt16, receiveBuffer: Int32? = nil) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    if var bytes = receiveBuffer {
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
    }
    var limit = timeval(tv_sec: 10, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    // Every property is set by now, so that `deinit` runs and closes.
    guard result == 0 else { throw Refused(code: errno) }
  }

  /// The connection was refused.
  struct Refused: Error { let code: Int32 }

  deinit { close(descriptor) }

  /// Sends everything; false if the other side has closed.
  @discardableResult
  func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  @discardableResult
  func send(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let sent = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard sent > 0 else { return false }
      rest = rest.dropFirst(sent)
    }
    return true
  }

  /// Ends the sending half.
  func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// The next bytes, empty at the end or after a reset; nil after ten seconds of silence.
  func receive(_ maximum: Int = 65536) -> [UInt8]? {
    if !buffered.isEmpty {
      defer { buffered = [] }
      return buffered
    }
    var bytes = [UInt8](repeating: 0, count: maximum)
    let count = bytes.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
    if count < 0, errno == EAGAIN { return nil }
    return Array(bytes.prefix(max(0, count)))
  }

  private var buffered: [UInt8] = []

  /// Everything until the other side closes; nil if it does not within ten seconds of silence.
  func receiveToEnd() -> [UInt8]? {
    var all: [UInt8] = []
    while let bytes = receive() {
      if bytes.isEmpty { return all }
      all += bytes
    }
    return nil
  }

  /// One whole answer; what comes after it stays for the next call. Nil if none comes or it is malformed.
  func receiveAnswer(toHead: Bool = false) -> Answer? {
    var all: [UInt8] = []
    while true {
      if let (answer, rest) = Answer.parse(all, toHead: toHead) {
        buffered = rest
        return answer
      }
      guard let bytes = receive(), !bytes.isEmpty else { return nil }
      all += bytes
    }
  }

  /// Whether the other side has closed, with nothing more to read.
  func isClosedByServer() -> Bool { receive().map(\.isEmpty) ?? false }
}

/// An answer as it came over the wire.
struct Answer {
  var status: Int
  var fields: [(name: String, value: String)]
  var body: [UInt8]

  func values(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }
  var text: String { String(decoding: body, as: UTF8.self) }

  /// The first whole answer in `bytes` and what follows it.
  static func parse(_ bytes: [UInt8], toHead: Bool = false) -> (Answer, rest: [UInt8])? {
    let end = Array("\r\n\r\n".utf8)
    guard let headEnd = bytes.indices.first(where: { bytes[$0...].starts(with: end) }) else { return nil }
    let lines = String(decoding: bytes[..<headEnd], as: UTF8.self).split(separator: "\r\n")
    guard let first = lines.first, first.hasPrefix("HTTP/1.1 "), let status = Int(first.dropFirst(9).prefix(3)) else {
      return nil
    }
    let fields = lines.dropFirst().map { line in
      let colon = line.firstIndex(of: ":") ?? line.endIndex
      return (
        name: line[..<colon].lowercased(), value: line[colon...].dropFirst().drop { $0 == " " }.description
      )
    }
    var answer = Answer(status: status, fields: fields, body: [])
    let length =
      toHead || status == 304 || status == 100 ? 0 : answer.values("content-length").first.flatMap { Int($0) } ?? 0
    let bodyStart = headEnd + 4
    guard bytes.count >= bodyStart + length else { return nil }
    answer.body = Array(bytes[bodyStart..<bodyStart + length])
    return (answer, Array(bytes[(bodyStart + length)...]))
  }

  /// All answers in `bytes`; nil if something is left over.
  static func parseAll(_ bytes: [UInt8]) -> [Answer]? {
    var answers: [Answer] = []
    var rest = bytes
    while !rest.isEmpty {
      guard let (answer, after) = parse(rest) else { return nil }
      answers.append(answer)
      rest = after
    }
    return answers
  }
}
