public import AvatarCore
import CMicroHTTPD
import Synchronization

/// Makes replies that the server queues without copying; for the memory tier.
public struct MHDReplies: ReplyPreparing {
  /// There is nothing to set up.
  public init() {}

  /// The same answer as `reply`. A reply whose fields cannot be sent becomes an empty 500: it never fails.
  public func prepare(_ reply: HTTPReply) -> PreparedReply { MHDPreparedReply(reply) }
}

/// A reply in the library's form, any number of connections at once may be sending it. The memory tier's value.
///
/// `@unchecked Sendable`: all but `closing` is immutable, and that is locked; the library counts references to its
/// responses atomically.
public final class MHDPreparedReply: PreparedReply, @unchecked Sendable {
  /// Bytes that the reply holds in memory, its body's and an estimate of its fields'.
  public let cost: Int
  let response: MHDResponse?
  private let reply: HTTPReply
  private let body: FixedBytes
  private let closing = Mutex<MHDResponse?>(nil)

  init(_ reply: HTTPReply) {
    body = reply.body
    self.reply = HTTPReply(status: reply.status, headers: reply.headers)
    response = MHDResponse(self.reply, body: body, closes: false)
    cost = body.count + reply.headers.reduce(512) { $0 + 128 + $1.name.utf8.count + $1.value.utf8.count }
    super.init(status: response == nil ? 500 : reply.status)
  }

  /// The same with `Connection: close`; made on first use, which is while draining. Nil only without memory.
  var closingResponse: MHDResponse? {
    closing.withLock { made in
      if made == nil { made = MHDResponse(reply, body: body, closes: true) }
      return made
    }
  }
}

/// Owns one reference to a response of the library, which holds its body for as long as any connection sends it.
///
/// `@unchecked Sendable`: immutable once made; the library's reference count is atomic.
final class MHDResponse: @unchecked Sendable {
  let handle: OpaquePointer
  /// The status to queue it with.
  let status: Int

  /// Builds a response; nil where a field cannot be sent (an empty name or value, a line break) or memory is out.
  ///
  /// The library writes `Content-Length`, `Date` and `Connection`, so that those of the reply are left out. It would
  /// send `Content-Length: 0` with a 304, which RFC 9110 section 8.6 forbids: a 304 takes the length from the
  /// reply's own `Content-Length`, the 200's; without one it sends none and has to close.
  init?(_ reply: HTTPReply, body: FixedBytes, closes: Bool) {
    status = reply.status
    let made: OpaquePointer?
    var endsWithClose = false
    if reply.status == 304 {
      let length = reply.headers.first { $0.name.utf8.count == 14 && Self.isNamed("content-length", $0.name) }
      let size = length.flatMap { UInt64($0.value) }
      endsWithClose = size == nil
      // The reader is never called: no body goes out with a 304.
      made = MHD_create_response_from_callback(
        size ?? unknownSize, 1, { _, _, _, _ in endOfStreamWithError }, nil, nil)
    } else {
      made = body.response()
    }
    guard let made else { return nil }
    handle = made
    if endsWithClose, CMicroHTTPD_endWithClose(made) == 0 { return nil }
    for field in reply.headers where !Self.isOurs(field.name) {
      guard MHD_add_response_header(made, field.name, field.value) == .YES else { return nil }
    }
    if closes, MHD_add_response_header(made, "Connection", "close") != .YES { return nil }
  }

  deinit { MHD_destroy_response(handle) }

  private static func isOurs(_ name: String) -> Bool {
    switch name.utf8.count {
    case 4: isNamed("date", name)
    case 10: isNamed("connection", name)
    case 14: isNamed("content-length", name)
    case 17: isNamed("transfer-encoding", name)
    default: false
    }
  }

  private static func isNamed(_ lowercased: StaticString, _ name: String) -> Bool {
    lowercased.withUTF8Buffer { $0.elementsEqual(name.utf8.lazy.map(asciiLowercased)) }
  }
}

// MHD_SIZE_UNKNOWN and MHD_CONTENT_READER_END_WITH_ERROR: macros with casts, which Swift does not import.
private let unknownSize = UInt64.max
private let endOfStreamWithError = -2

extension FixedBytes {
  /// A new response that keeps these bytes until the last connection has sent them.
  fileprivate func response() -> OpaquePointer? {
    let kept = Unmanaged.passRetained(self)
    let made = withUnsafeBytes { bytes in
      MHD_create_response_from_buffer_with_free_callback_cls(
        count, UnsafeMutableRawPointer(mutating: bytes.baseAddress),
        { kept in kept.map { Unmanaged<FixedBytes>.fromOpaque($0).release() } }, kept.toOpaque())
    }
    if made == nil { kept.release() }
    return made
  }
}
