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
  /// What comes behind the status line and the date, to the empty line; nil for a reply that only the library can send.
  let fieldsBehindDate: FixedBytes?
  /// The body of a GET's answer.
  let body: FixedBytes
  private let headers: [HeaderField]
  private let responses = Mutex<Responses>(Responses())

  private struct Responses {
    var open: MHDResponse?
    var closing: MHDResponse?
  }

  init(_ reply: HTTPReply) {
    body = reply.body
    headers = reply.headers
    fieldsBehindDate = MHDResponse.fieldsBehindDate(reply)
    if fieldsBehindDate == nil {
      let open = MHDResponse(HTTPReply(status: reply.status, headers: headers), body: body, closes: false)
      responses.withLock { $0.open = open }
      super.init(status: open == nil ? 500 : reply.status)
    } else {
      super.init(status: reply.status)
    }
  }

  /// In the library's form, with `Connection: close` or without; made on first use. Nil where a field cannot be sent, or without memory.
  func response(closes: Bool) -> MHDResponse? {
    responses.withLock { made in
      if let there = closes ? made.closing : made.open { return there }
      let new = MHDResponse(HTTPReply(status: status, headers: headers), body: body, closes: closes)
      if closes { made.closing = new } else { made.open = new }
      return new
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

  /// A 200's or 304's fields as this class has the library send them, behind its `Date` and with the empty line; nil for others, and
  /// where a field cannot be sent.
  static func fieldsBehindDate(_ reply: HTTPReply) -> FixedBytes? {
    var length = reply.status == 200 ? "\(reply.body.count)" : nil
    if reply.status == 304 { length = reply.headers.first { isNamed("content-length", $0.name) }?.value }
    guard let length, UInt64(length) != nil else { return nil }
    var bytes: [UInt8] = []
    for field in reply.headers where !isOurs(field.name) {
      guard !field.name.isEmpty, !field.value.isEmpty,
        field.name.utf8.allSatisfy({ RequestFraming.nameBytes.contains($0) }),
        !field.value.utf8.contains(where: { $0 == 0x0D || $0 == 0x0A || $0 == 0 })
      else { return nil }
      bytes += "\(field.name): \(field.value)\r\n".utf8
    }
    return FixedBytes(bytes + "Content-Length: \(length)\r\n\r\n".utf8)
  }

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
