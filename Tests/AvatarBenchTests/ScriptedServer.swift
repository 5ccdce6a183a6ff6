import AvatarCore
import Glibc
import Synchronization

@testable import AvatarBench

/// A tiny HTTP server on loopback whose answers a test decides: one thread, one `poll`, no keeping of state but what came.
final class ScriptedServer: Sendable {
  /// What is done with a request, by its number from 0.
  enum Reaction: Sendable {
    /// These bytes.
    case say(String)
    /// These bytes, then the end of the connection.
    case sayAndClose(String)
    /// The end of the connection.
    case close
    /// Nothing, ever.
    case silence
    /// Nothing at all happens on the server for so many milliseconds; then a plain answer.
    case stall(milliseconds: UInt32)
  }

  static let plain = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

  let endpoint: Endpoint
  private let listener: Int32
  private let state = Mutex((requests: [String](), connections: 0, isOver: false))

  init(_ react: @escaping @Sendable (Int) -> Reaction) throws {
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listening = listener
    let isReady = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { plain in
        bind(listening, plain, length) == 0 && listen(listening, 1024) == 0
          && getsockname(listening, plain, &length) == 0
      }
    }
    guard isReady else { throw AvatarError(.internalFault, "no listening socket") }
    endpoint = Endpoint(loopback: UInt16(bigEndian: address.sin_port))
    let thread = try NamedThread("scripted-server") { [self] in serve(react) }
    thread.detach()
  }

  /// The first lines of all requests so far.
  var requests: [String] { state.withLock { $0.requests } }
  /// Connections so far.
  var connections: Int { state.withLock { $0.connections } }
  /// Ends it.
  func stop() { state.withLock { $0.isOver = true } }

  private func serve(_ react: (Int) -> Reaction) {
    var open: [Int32] = []
    while !state.withLock({ $0.isOver }) {
      var watched = ([listener] + open).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      guard poll(&watched, nfds_t(watched.count), 20) > 0 else { continue }
      if watched[0].revents != 0 {
        open.append(accept(listener, nil, nil))
        state.withLock { $0.connections += 1 }
      }
      for one in watched.dropFirst() where one.revents != 0 {
        if !answer(one.fd, react) {
          close(one.fd)
          open.removeAll { $0 == one.fd }
        }
      }
    }
    for socket in open + [listener] { close(socket) }
  }

  /// Reads one request, which comes in one piece, and reacts; false at the connection's end.
  private func answer(_ socket: Int32, _ react: (Int) -> Reaction) -> Bool {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = recv(socket, &bytes, bytes.count, 0)
    guard count > 0 else { return false }
    let line = String(decoding: bytes[..<count].prefix { $0 != 13 }, as: UTF8.self)
    let number = state.withLock { state in
      state.requests.append(line)
      return state.requests.count - 1
    }
    switch react(number) {
    case .say(let text): say(text, to: socket)
    case .sayAndClose(let text):
      say(text, to: socket)
      return false
    case .close: return false
    case .silence: break
    case .stall(let milliseconds):
      usleep(milliseconds * 1000)
      say(Self.plain, to: socket)
    }
    return true
  }

  private func say(_ text: String, to socket: Int32) {
    _ = send(socket, text, text.utf8.count, Int32(MSG_NOSIGNAL))
  }
}
