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

/// A reply ready to be sent by any number of connections at once. The memory tier's value.
///
/// `@unchecked Sendable`: all but `responses` is immutable, and those are locked; the library counts references to its
/// responses atomically.
public final class MHDPreparedReply: PreparedReply, @unchecked Sendable {
  /// Its fields for the lane; nil for a reply that only the library can send.
  let fields: FieldBlock?
  /// The body of a GET's answer, and its length: the lane need not look into memory for it.
  let body: FixedBytes
  let bodyBytes: Int
  private let reply: HTTPReply
  private let responses = Mutex<(open: Made?, closing: Made?)>((nil, nil))

  private struct Made {
    let response: MHDResponse
    /// In milliseconds since 1970; nil for good.
    let validUntil: Int64?
  }

  init(_ reply: HTTPReply) {
    body = reply.body
    bodyBytes = reply.body.count
    self.reply = reply
    fields = FieldBlock(reply)
    let isSendable = fields != nil || MHDResponse(reply, body: reply.body, closes: false) != nil
    super.init(status: isSendable ? reply.status : 500)
  }

  /// In the library's form, with `Connection: close` or without; made on first use. Nil where a field cannot be sent, or without memory.
  func response(closes: Bool) -> MHDResponse? {
    responses.withLock { responses in
      let now = reply.countsDownTo == nil ? 0 : CMicroHTTPD_time()
      if let made = closes ? responses.closing : responses.open, made.validUntil.map({ now < $0 }) ?? true {
        return made.response
      }
      let made = make(closes: closes, now: now)
      if closes { responses.closing = made } else { responses.open = made }
      return made?.response
    }
  }

  /// What counts down is rounded down, so that it can be sent again for a while.
  private func make(closes: Bool, now: Int64) -> Made? {
    let seconds = reply.countsDownTo.map { Freshness.roundedDown(milliseconds: max(0, $0.milliseconds - now)) }
    guard let response = MHDResponse(reply.counted(secondsLeft: seconds ?? 0), body: body, closes: closes) else {
      return nil
    }
    return Made(
      response: response, validUntil: reply.countsDownTo.map { $0.milliseconds - (seconds ?? 0) * 1000 })
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
      let size = Self.length(of: reply)
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

  /// The `Content-Length` to send: a 304's is the 200's, as the reply says; nil where it does not.
  static func length(of reply: HTTPReply) -> UInt64? {
    guard reply.status == 304 else { return UInt64(reply.body.count) }
    return reply.headers.first { isNamed("content-length", $0.name) }.flatMap { UInt64($0.value) }
  }

  /// Whether this class or the library writes the field.
  static func isOurs(_ name: String) -> Bool {
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
    let kept = Unmanaged.passRetained(owner)
    let made = withUnsafeBytes { bytes in
      MHD_create_response_from_buffer_with_free_callback_cls(
        count, UnsafeMutableRawPointer(mutating: bytes.baseAddress),
        { kept in kept.map { Unmanaged<AnyObject>.fromOpaque($0).release() } }, kept.toOpaque())
    }
    if made == nil { kept.release() }
    return made
  }
}
