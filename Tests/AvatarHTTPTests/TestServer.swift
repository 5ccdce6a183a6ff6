import AvatarCore
import AvatarHTTP
import Synchronization

/// A handler that is a closure and remembers what it was asked.
final class ScriptedHandler: HTTPHandling {
  private let script: @Sendable (HTTPRequest) -> HTTPDisposition
  private let asked = Mutex<[String]>([])
  private let early = Mutex<[(target: String, isConditional: Bool)]>([])
  /// Targets that it says to know, and whether it answers them early.
  let known: [String: Bool]
  /// The early answer's body.
  let body: [UInt8]
  /// A field more of the early answer's, of so many bytes.
  let longField = Mutex(0)
  /// What its fields count down to, if anything.
  let countsDownTo = Mutex<UnixTime?>(nil)

  init(
    known: [String: Bool] = [:], body: [UInt8] = Array("known".utf8),
    _ script: @escaping @Sendable (HTTPRequest) -> HTTPDisposition
  ) {
    self.known = known
    self.body = body
    self.script = script
  }

  /// What it was asked early, in order.
  var hits: [(target: String, isConditional: Bool)] { early.withLock { $0 } }

  func recall(_ target: UnsafeRawBufferPointer) -> KnownTarget? {
    known[String(decoding: target, as: UTF8.self)] == nil ? nil : KnownTarget(target: Array(target))
  }

  func hit(_ known: KnownTarget, condition: () -> ConditionalRequest?) -> PreparedReply? {
    let target = known.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    let condition = condition()
    early.withLock { $0.append((target, condition != nil)) }
    guard self.known[target] == true else { return nil }
    let isNotModified = condition?.isNotModified(etag: "\"k\"", lastModified: nil, now: UnixTime(milliseconds: 0))
    if let end = countsDownTo.withLock({ $0 }) {
      let left = HTTPReply.secondsLeft
      let fields = [HeaderField("X-Left", "left=\(left)/end"), HeaderField("X-Again", left)]
      var reply = HTTPReply(status: 200, headers: fields, body: body)
      reply.countsDownTo = end
      return MHDReplies().prepare(reply)
    }
    return MHDReplies().prepare(
      isNotModified == true
        ? HTTPReply(
          status: 304, headers: [HeaderField("ETag", "\"k\""), HeaderField("Content-Length", "\(body.count)")])
        : HTTPReply(status: 200, headers: [HeaderField("ETag", "\"k\"")] + longFields, body: body))
  }

  private var longFields: [HeaderField] {
    let bytes = longField.withLock { $0 }
    return bytes == 0 ? [] : [HeaderField("X-Long", String(repeating: "x", count: bytes))]
  }

  /// The paths that reached it, in order.
  var paths: [String] { asked.withLock { $0 } }

  func respond(to request: HTTPRequest) -> HTTPDisposition {
    asked.withLock { $0.append(request.path) }
    return script(request)
  }
}

/// A log that remembers the names of its events.
final class EventRecorder: EventLogging {
  private let seen = Mutex<[String]>([])
  var events: [String] { seen.withLock { $0 } }
  func isEnabled(_ level: LogLevel) -> Bool { true }
  func log(_ level: LogLevel, _ event: StaticString, _ fields: [(StaticString, LogValue)]) {
    seen.withLock { $0.append(event.description) }
  }
}

/// Answers that were promised and are still to be given.
final class Promises: Sendable {
  private let responders = Mutex<[any HTTPResponder]>([])
  var count: Int { responders.withLock { $0.count } }
  func keep(_ responder: any HTTPResponder) { responders.withLock { $0.append(responder) } }
  /// Hands them over; they are forgotten here.
  func take() -> [any HTTPResponder] {
    responders.withLock { kept in
      defer { kept = [] }
      return kept
    }
  }
}

/// A server on a free loopback port with a handler that is a closure.
struct TestServer {
  let server: HTTPServer
  let handler: ScriptedHandler
  let log = EventRecorder()
  var port: UInt16 { server.boundPort }

  init(
    _ options: HTTPServerOptions = HTTPServerOptions(), known: [String: Bool] = [:],
    body: [UInt8] = Array("known".utf8),
    _ script: @escaping @Sendable (HTTPRequest) -> HTTPDisposition = Self.echo
  ) throws {
    handler = ScriptedHandler(known: known, body: body, script)
    // Many servers and their clients share this process and its descriptors.
    try DescriptorLimit.raise(to: 12_000)
    var options = options
    options.maxConnections = min(options.maxConnections, 4000)
    server = try HTTPServer(options: options, handler: handler, problem: Self.problem, log: log)
  }

  /// Answers 200 with the path.
  static let echo: @Sendable (HTTPRequest) -> HTTPDisposition = { request in
    .reply(HTTPReply(status: 200, headers: [HeaderField("Content-Type", "text/plain")], body: Array(request.path.utf8)))
  }

  static let problem: @Sendable (AvatarError) -> HTTPReply = { error in
    HTTPReply(
      status: error.code.status, headers: [HeaderField("Content-Type", "application/problem+json")],
      body: Array(error.code.rawValue.utf8))
  }

  func client() throws -> RawClient { try RawClient(port: port) }

  /// Waits until `condition` holds, looking every millisecond for at most ten seconds; gives what it was at last.
  func eventually(_ condition: () -> Bool) async -> Bool {
    for _ in 0..<10_000 {
      if condition() { return true }
      try? await Task.sleep(for: .milliseconds(1))
    }
    return condition()
  }
}

extension String {
  /// A request with one `Host`.
  static func get(_ target: String, _ fields: String = "") -> String {
    "GET \(target) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n"
  }
}
