import AvatarCore
import AvatarNames
import Glibc
import Synchronization

@testable import AvatarFetch

/// An origin over raw sockets that says exactly what a test tells it to, byte for byte, and remembers what it was asked.
final class RawOrigin: Sendable {
  /// One thing that it does after a request.
  enum Step: Sendable {
    /// Sends bytes.
    case send([UInt8])
    /// Sends bytes for as long as the other side takes them.
    case repeatForever([UInt8], pauseMilliseconds: Int32)
    /// Waits until the other side's kernel has everything that was sent: on a busy machine that is later than `send` returning.
    case delivered
    /// Does something of the test's.
    case run(@Sendable () -> Void)
    /// Says nothing until the other side leaves.
    case hang
    /// Closes the connection.
    case close
    /// Closes it with a reset.
    case reset
  }

  /// A request as it came.
  struct Seen: Sendable {
    var connection: Int
    var target: String
    var lines: [String]
    func field(_ name: String) -> String? {
      lines.first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
        .map { $0.dropFirst(name.utf8.count + 1).drop { $0 == " " }.description }
    }
  }

  private struct State {
    var seen: [Seen] = []
    var connections = 0
    var inFlight = 0
    var mostInFlight = 0
  }

  let host: String
  let port: UInt16
  private let listener: Int32
  private let state = Mutex(State())
  private let answer: @Sendable (Seen) -> [Step]

  /// Listens on a loopback address, at a free port.
  init(_ host: String = "127.0.0.2", answer: @escaping @Sendable (Seen) -> [Step]) throws {
    self.host = host
    self.answer = answer
    (listener, port) = try Self.listen(on: host)
    let listener = listener
    let began = NamedThread.start("test-origin") { [weak self] in
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { return }
        guard let self else {
          Glibc.close(connection)
          return
        }
        let number = state.withLock { state in
          state.connections += 1
          return state.connections
        }
        let serving = NamedThread.start("test-connection") { self.serve(connection, number) }
        if !serving { Glibc.close(connection) }
      }
    }
    guard began else { throw AvatarError(.internalFault, "no thread") }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    Glibc.close(listener)
  }

  /// Always answers with the same steps.
  convenience init(_ host: String = "127.0.0.2", steps: [Step]) throws { try self.init(host) { _ in steps } }

  /// What was asked, in order.
  var seen: [Seen] { state.withLock(\.seen) }
  /// Connections that came.
  var connections: Int { state.withLock(\.connections) }
  /// Most requests being answered at one time.
  var mostInFlight: Int { state.withLock(\.mostInFlight) }

  /// A URL here; `name` in place of the address.
  func url(_ path: String = "/", name: String? = nil) throws -> SourceURL {
    try SourceURL(parsing: "http://\(name ?? host):\(port)\(path)", names: IDN2Names())
  }

  private static func listen(on host: String) throws -> (Int32, UInt16) {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr(host)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, length) == 0 && Glibc.listen(listener, 1024) == 0 && getsockname(listener, $0, &length) == 0
      }
    }
    guard isBound else { throw AvatarError(.internalFault, "cannot listen on \(host): errno \(errno)") }
    return (listener, UInt16(bigEndian: address.sin_port))
  }

  private func serve(_ connection: Int32, _ number: Int) {
    defer { Glibc.close(connection) }
    var buffer: [UInt8] = []
    while let head = Self.readHead(connection, &buffer) {
      let lines = head.split(separator: "\r\n").map(String.init)
      let words = lines.first?.split(separator: " ") ?? []
      let seen = Seen(
        connection: number, target: words.count > 1 ? String(words[1]) : "", lines: Array(lines.dropFirst()))
      state.withLock { state in
        state.seen.append(seen)
        state.inFlight += 1
        state.mostInFlight = max(state.mostInFlight, state.inFlight)
      }
      let goesOn = perform(answer(seen), connection)
      state.withLock { $0.inFlight -= 1 }
      guard goesOn else { return }
    }
  }

  private func perform(_ steps: [Step], _ connection: Int32) -> Bool {
    for step in steps {
      switch step {
      case .send(let bytes):
        guard Self.send(bytes, connection) else { return false }
      case .repeatForever(let bytes, let pause):
        while Self.send(bytes, connection) {
          if pause > 0 { _ = poll(nil, 0, pause) }
        }
        return false
      case .delivered:
        var unacknowledged: Int32 = 1
        while ioctl(connection, UInt(TIOCOUTQ), &unacknowledged) == 0, unacknowledged > 0 { _ = poll(nil, 0, 1) }
      case .run(let body):
        body()
      case .hang:
        var byte: UInt8 = 0
        while recv(connection, &byte, 1, 0) > 0 {}
        return false
      case .close:
        return false
      case .reset:
        var lingers = linger(l_onoff: 1, l_linger: 0)
        setsockopt(connection, SOL_SOCKET, SO_LINGER, &lingers, socklen_t(MemoryLayout<linger>.size))
        return false
      }
    }
    return true
  }

  private static func send(_ bytes: [UInt8], _ connection: Int32) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  private static func readHead(_ connection: Int32, _ buffer: inout [UInt8]) -> String? {
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
      if let end = buffer.indices.dropLast(3).first(where: { Array(buffer[$0..<$0 + 4]) == [13, 10, 13, 10] }) {
        defer { buffer.removeFirst(end + 4) }
        return String(decoding: buffer[..<end], as: UTF8.self)
      }
      let count = recv(connection, &chunk, chunk.count, 0)
      guard count > 0 else { return nil }
      buffer += chunk[..<count]
    }
  }
}

/// A whole answer with a right length.
func answer(_ status: String = "200 OK", _ fields: [String] = [], _ body: [UInt8] = picture) -> [UInt8] {
  text("HTTP/1.1 \(status)\r\n" + fields.map { $0 + "\r\n" }.joined() + "Content-Length: \(body.count)\r\n\r\n") + body
}

/// Bytes of a text.
func text(_ string: String) -> [UInt8] { Array(string.utf8) }

/// Stands for a picture: the fetcher does not look at it.
let picture: [UInt8] = [0x89] + Array("PNG\r\n".utf8) + (0..<600).map { UInt8(truncatingIfNeeded: $0 * 7) }
