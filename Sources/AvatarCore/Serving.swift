/// What the HTTP adapter asks for each request. Called on a server thread: it never blocks and decides at once, or later.
public protocol HTTPHandling: Sendable {
  /// Answers at once from memory, or says that the answer comes later.
  func respond(to request: HTTPRequest) -> HTTPDisposition
  /// What the handler knows of a raw request target, asked before the request's fields are read; nil for what it has to read first.
  func recall(_ target: UnsafeRawBufferPointer) -> KnownTarget?
  /// The reply to a GET or HEAD for a target that `recall` gave, where it is in memory and the same for everyone; nil has `respond` asked.
  /// `condition` gives the request's conditional fields, nil where it has none.
  func hit(_ known: KnownTarget, condition: () -> ConditionalRequest?) -> PreparedReply?
  /// The methods that the resource at `path` takes, for the `Allow` of a 405 that the adapter answers itself (RFC 9110 section
  /// 15.5.6); nil for all that the side lets through.
  func allowedMethods(at path: String) -> [HTTPRequest.Method]?
}

extension HTTPHandling {
  /// Nothing is remembered.
  public func recall(_ target: UnsafeRawBufferPointer) -> KnownTarget? { nil }
  /// Nothing is answered early.
  public func hit(_ known: KnownTarget, condition: () -> ConditionalRequest?) -> PreparedReply? { nil }
  /// All that the side lets through.
  public func allowedMethods(at path: String) -> [HTTPRequest.Method]? { nil }
}

/// A request that passed the adapter's checks: framing, Host, method, target length and alphabet, body bound.
public struct HTTPRequest: Sendable {
  /// The methods that reach a handler.
  public enum Method: String, Sendable {
    /// As on the wire.
    case get = "GET"
    case head = "HEAD"
    case post = "POST"
  }
  /// The method.
  public let method: Method
  /// The raw request target up to the first `?`, as it came (nothing decoded); begins with `/`.
  public var path: String { known?.path ?? line.path }
  /// The raw query after the first `?`, as it came; nil without one.
  public var query: String? { known.map(\.query) ?? line.query }
  private let line: (path: String, query: String?)
  /// The whole body of a POST, at most the side's bound; empty otherwise.
  public let body: [UInt8]
  /// What `recall` gave for the target; nil where it was not asked or knew nothing.
  public let known: KnownTarget?
  /// Reads a header field by its name, any case; nil if absent. Repeated fields are joined with `, `.
  public let header: @Sendable (StaticString) -> String?

  /// Makes a request.
  public init(
    method: Method, path: String, query: String?, body: [UInt8] = [],
    header: @escaping @Sendable (StaticString) -> String?
  ) {
    self.method = method
    line = (path, query)
    self.body = body
    known = nil
    self.header = header
  }

  /// Makes a request for a target that is known.
  public init(
    method: Method, known: KnownTarget, body: [UInt8] = [], header: @escaping @Sendable (StaticString) -> String?
  ) {
    self.method = method
    line = ("/", nil)
    self.body = body
    self.known = known
    self.header = header
  }
}

/// How a handler answers.
public enum HTTPDisposition: Sendable {
  /// A reply that was prepared before and is shared by many requests; costs no copy.
  case prepared(PreparedReply)
  /// A reply made for this request.
  case reply(HTTPReply)
  /// The connection waits; the closure is called once it is suspended, and must have the responder called exactly once.
  case later(@Sendable (any HTTPResponder) -> Void)
}

/// Wakes a waiting connection, from any thread, exactly once. A client that has gone is not an error.
public protocol HTTPResponder: Sendable {
  /// Sends a reply made for this request.
  func send(_ reply: HTTPReply)
  /// Sends a prepared reply.
  func send(_ reply: PreparedReply)
}

/// A whole answer. The adapter adds `Content-Length`, `Date` and, while draining, `Connection: close`; for HEAD it leaves the body out
/// and keeps the length.
public struct HTTPReply: Sendable {
  /// The status, 200…599.
  public var status: Int
  /// Fields in the order and spelling that they go out.
  public var headers: [HeaderField]
  /// The body, which many replies may share; none for a 304.
  public var body: FixedBytes
  /// What `secondsLeft` counts down to; nil where no field has it. For prepared replies, which are sent at any time.
  public var countsDownTo: UnixTime?
  /// Makes a reply with a body of its own.
  public init(status: Int, headers: [HeaderField], body: [UInt8] = []) {
    self.init(status: status, headers: headers, sharing: FixedBytes(body))
  }
  /// Makes a reply that sends bytes which others hold too.
  public init(status: Int, headers: [HeaderField], sharing body: FixedBytes) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// Stands in a field's value for the whole seconds until `countsDownTo` at the time of sending. No value may hold this byte (RFC 9110
  /// section 5.5).
  public static let secondsLeft = "\0"

  /// The reply as it is sent when so many seconds are left.
  public func counted(secondsLeft seconds: Int64) -> HTTPReply {
    guard countsDownTo != nil else { return self }
    let fields = headers.map { HeaderField($0.name, $0.value.replacing(Self.secondsLeft, with: "\(seconds)")) }
    return HTTPReply(status: status, headers: fields, sharing: body)
  }
}

/// A reply in the adapter's own form, ready to be queued any number of times. The base class of the adapter's one subclass.
open class PreparedReply: @unchecked Sendable {  // Immutable after init in every subclass.
  /// The status, for metrics and logs.
  public let status: Int
  /// For subclasses.
  public init(status: Int) { self.status = status }
}

/// Makes prepared replies; implemented by the HTTP adapter, used by the memory tier.
public protocol ReplyPreparing: Sendable {
  /// The same answer as `reply`, prepared.
  func prepare(_ reply: HTTPReply) -> PreparedReply
}
