import Foundation
import Glibc

/// An origin on loopback that says, byte for byte and hang for hang, what a test tells it to. Each connection has a thread of its own.
final class ScriptedOrigin: Sendable {
  /// What is done after a request's head has come.
  enum Act: Sendable {
    case send([UInt8])
    /// Byte by byte, one each so many milliseconds, until the client leaves.
    case drip([UInt8], everyMilliseconds: Int32)
    /// Says nothing more until the client leaves.
    case hang
    /// Resets the connection instead of closing it.
    case reset
  }
  typealias Script = @Sendable (String) -> [Act]

  let port: UInt16
  private let listener: Int32
  private let log = Log()

  /// What came: the heads of the requests, and who is still here.
  private final class Log: @unchecked Sendable {
    // `heads` and `open` are touched under `lock` only.
    private let lock = NSCondition()
    private var heads: [String] = []
    private var open: Set<Int32> = []
    func note(_ head: String) { lock.withLock { heads.append(head) } }
    var all: [String] { lock.withLock { heads } }
    func opened(_ socket: Int32) { lock.withLock { _ = open.insert(socket) } }
    func close(_ socket: Int32) {
      lock.withLock {
        open.remove(socket)
        _ = Glibc.close(socket)
        lock.broadcast()
      }
    }
    func shutdownAll() { lock.withLock { for socket in open { shutdown(socket, Int32(SHUT_RDWR)) } } }
    func waitUntilEmpty() { lock.withLock { while !open.isEmpty { lock.wait() } } }
  }

  /// Listens on a free port. `script` gets a request's target, such as `/a.jpg`.
  init(_ script: @escaping Script) throws {
    let (listener, port) = try Self.listen()
    self.listener = listener
    self.port = port
    let log = log
    Self.thread("origin") {
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { return }
        log.opened(client)
        Self.thread("origin-client") {
          Self.serve(client, script, log)
          log.close(client)
        }
      }
    }
  }

  deinit { stop() }

  /// Ends all connections; the port refuses from then on.
  func stop() {
    shutdown(listener, Int32(SHUT_RDWR))
    log.shutdownAll()
  }

  /// Until every client has left of its own accord: whoever was cancelled has closed its connection.
  ///
  /// Foundation on Linux ends the program where a connection ends within an answer's head: a test whose origin hangs there must not end
  /// sooner.
  func idle() async {
    await withCheckedContinuation { continuation in
      let log = log
      Self.thread("origin-idle") {
        log.waitUntilEmpty()
        continuation.resume()
      }
    }
  }

  /// The heads of the requests that came.
  var requests: [String] { log.all }

  func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

  /// A port that refuses.
  static func deadPort() throws -> UInt16 {
    let (listener, port) = try listen()
    close(listener)
    return port
  }

  private static func listen() throws -> (Int32, UInt16) {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, size) == 0 && Glibc.listen(listener, 128) == 0
          && getsockname(listener, address, &size) == 0
      }
    }
    guard bound else { throw POSIXError(.EADDRINUSE) }
    return (listener, UInt16(bigEndian: address.sin_port))
  }

  private static func thread(_ name: String, _ body: @escaping @Sendable () -> Void) {
    let thread = Thread(block: body)
    thread.name = name
    thread.start()
  }

  private static func serve(_ client: Int32, _ script: Script, _ log: Log) {
    var head: [UInt8] = []
    var byte: UInt8 = 0
    while !head.suffix(4).elementsEqual([13, 10, 13, 10]) {
      guard read(client, &byte, 1) == 1, head.count < 65536 else { return }
      head.append(byte)
    }
    let text = String(decoding: head, as: UTF8.self)
    log.note(text)
    let target = text.split(separator: " ", maxSplits: 2).dropFirst().first.map(String.init) ?? ""
    for act in script(target) {
      switch act {
      case .send(let bytes): guard write(client, bytes) else { return }
      case .drip(let bytes, let pace):
        for byte in bytes {
          guard write(client, [byte]), !leaves(client, within: pace) else { return }
        }
      case .hang: while !leaves(client, within: -1) {}
      case .reset:
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(client, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
      }
    }
  }

  private static func write(_ client: Int32, _ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  /// Waits for the client to close, at most so many milliseconds; -1 for ever.
  private static func leaves(_ client: Int32, within milliseconds: Int32) -> Bool {
    var poll = pollfd(fd: client, events: Int16(POLLIN), revents: 0)
    guard Glibc.poll(&poll, 1, milliseconds) > 0 else { return false }
    var byte: UInt8 = 0
    return recv(client, &byte, 1, Int32(MSG_DONTWAIT)) <= 0
  }
}

extension ScriptedOrigin.Act {
  /// A whole answer. `length` other than the body's is a lie; nil sends none.
  static func answer(
    status: Int = 200, type: String? = "image/jpeg", headers: [String] = [], length: Int?? = .none, _ body: [UInt8]
  ) -> ScriptedOrigin.Act {
    var lines = ["HTTP/1.1 \(status) Scripted", "Connection: close"]
    if let type { lines.append("Content-Type: \(type)") }
    switch length {
    case .none: lines.append("Content-Length: \(body.count)")
    case .some(.some(let length)): lines.append("Content-Length: \(length)")
    case .some(.none): break
    }
    lines += headers
    return .send(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body)
  }
}
