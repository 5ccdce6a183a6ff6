import BenchOrigin
import Glibc
import Testing

/// A client that sends exactly the bytes it is told and reads what comes.
final class OriginClient {
  let descriptor: Int32
  /// Lives at least as long as its clients.
  private let origin: TestOrigin
  private var buffered: [UInt8] = []

  init(to origin: TestOrigin) throws {
    self.origin = origin
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var limit = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = origin.origin.boundPort.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = withUnsafeBytes(of: &address) {
      connect(
        descriptor, $0.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
    try #require(result == 0)
  }

  deinit { leave() }

  private var isOpen = true

  func leave() {
    if isOpen { close(descriptor) }
    isOpen = false
  }

  func send(_ text: String) {
    let bytes = Array(text.utf8)
    #expect(Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count)
  }

  /// Whether anything, an end included, is there to be read at this moment.
  var hasNews: Bool {
    var byte: UInt8 = 0
    return recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT) | Int32(MSG_PEEK)) >= 0 || errno != EAGAIN
  }

  /// The next bytes; empty at the end, nil after a reset.
  private func receive() -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &bytes, bytes.count, 0)
    if count < 0, errno == EAGAIN { Issue.record("nothing came") }
    return count < 0 ? nil : Array(bytes.prefix(count))
  }

  /// All that comes until the connection ends; nil where it ends by a reset.
  func receiveToEnd() -> [UInt8]? {
    var all = buffered
    buffered = []
    while let bytes = receive() {
      if bytes.isEmpty { return all }
      all += bytes
    }
    return nil
  }

  func get(_ target: String, _ fields: String...) { request("GET", target, fields) }

  func request(_ method: String, _ target: String, _ fields: [String] = []) {
    send("\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\n\(fields.map { $0 + "\r\n" }.joined())\r\n")
  }

  /// The next whole answer; to HEAD one has no body.
  func answer(toHead: Bool = false) throws -> OriginAnswer {
    while true {
      if let (answer, length) = OriginAnswer.parse(buffered, toHead: toHead) {
        buffered.removeFirst(length)
        return answer
      }
      let more = try #require(receive())
      try #require(!more.isEmpty, "it ended before a whole answer")
      buffered += more
    }
  }

  func ask(_ target: String, _ fields: String...) throws -> OriginAnswer {
    request("GET", target, fields)
    return try answer()
  }
}

/// An answer as it came over the wire.
struct OriginAnswer {
  var status: Int
  var fields: [String: String]
  var body: [UInt8]

  var text: String { String(decoding: body, as: UTF8.self) }

  /// The first answer in `bytes`, with its length, once it is whole.
  static func parse(_ bytes: [UInt8], toHead: Bool) -> (OriginAnswer, length: Int)? {
    let end = Array("\r\n\r\n".utf8)
    guard let headEnd = bytes.indices.prefix(2000).first(where: { bytes[$0...].starts(with: end) }) else { return nil }
    let lines = String(decoding: bytes[..<headEnd], as: UTF8.self).split(separator: "\r\n")
    guard let status = Int(lines[0].dropFirst(9).prefix(3)) else { return nil }
    let pairs = lines.dropFirst().map { line in
      let colon = line.firstIndex(of: ":") ?? line.endIndex
      return (line[..<colon].lowercased(), String(line[colon...].dropFirst(2)))
    }
    var answer = OriginAnswer(status: status, fields: Dictionary(pairs) { "\($0), \($1)" }, body: [])
    let start = headEnd + 4
    if answer.fields["transfer-encoding"] == "chunked", !toHead {
      var place = start
      while let (chunk, next) = chunk(in: bytes, at: place) {
        if chunk.isEmpty { return (answer, next) }
        answer.body += chunk
        place = next
      }
      return nil
    }
    let length = toHead || status == 304 ? 0 : answer.fields["content-length"].flatMap { Int($0) } ?? 0
    guard bytes.count >= start + length else { return nil }
    answer.body = Array(bytes[start..<start + length])
    return (answer, start + length)
  }

  private static func chunk(in bytes: [UInt8], at place: Int) -> (ArraySlice<UInt8>, next: Int)? {
    guard let lineEnd = bytes[place...].firstIndex(of: 13),
      let size = Int(String(decoding: bytes[place..<lineEnd], as: UTF8.self), radix: 16),
      bytes.count >= lineEnd + 4 + size
    else { return nil }
    return (bytes[(lineEnd + 2)..<(lineEnd + 2 + size)], lineEnd + 4 + size)
  }
}
