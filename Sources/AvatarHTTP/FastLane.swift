import AvatarCore
import CMicroHTTPD
import Glibc
import Synchronization

/// Answers a loop's hits before the library reads their requests: what a hit costs is then little more than the kernel's part.
///
/// It sees what comes in on a connection (`recv` in CMicroHTTPD) where a request begins. A whole GET or HEAD for a target that the handler
/// recalls and has a prepared reply for is answered with one `send`. Everything else goes to the library untouched, as does a request
/// now and then, so that the library's idle timeout counts from a recent one. Decision 19.
///
/// Never outside the loop's thread, but for the first and last moments of its life.
final class FastLane {
  /// Longer replies go through the library: these fit into a socket's buffer that is empty.
  static let longestReply = 32 * 1024

  private let server: ServerCore
  private let handle: OpaquePointer
  /// How long a connection may go by the library, in milliseconds.
  private let longestAbsence: Int64
  /// The reply in the making: its status line ends and its date begins at fixed places.
  private let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: dateEnd + longestReply, alignment: 64)
  /// The second that the date in `scratch` names.
  private var dated: Int64 = -1

  /// Opens it for `loop`, which must outlive it. Throws `internal` without memory.
  init(for loop: ServingLoop, idleTimeout: Duration) throws(AvatarError) {
    let context = Unmanaged.passUnretained(loop).toOpaque()
    guard let handle = CMicroHTTPD_openLane(somethingArrived, context) else {
      throw AvatarError(.internalFault, "no memory for an event loop")
    }
    self.handle = handle
    server = loop.server
    longestAbsence = Self.longestAbsence(idleTimeout).milliseconds
  }

  deinit {
    CMicroHTTPD_closeLane(handle)
    scratch.deallocate()
  }

  private static func longestAbsence(_ idleTimeout: Duration) -> Duration { max(.seconds(1), idleTimeout / 16) }

  /// The idle timeout for the library, which counts from the last request that it has seen itself.
  static func idleTimeout(for options: HTTPServerOptions) -> Duration {
    options.tls == nil ? options.idleTimeout + longestAbsence(options.idleTimeout) : options.idleTimeout
  }

  /// From now on it sees the connection's requests; without memory for that the library does, as ever.
  func enter(_ record: ConnectionRecord) {
    CMicroHTTPD_enterLane(handle, record.descriptor, Unmanaged.passUnretained(record).toOpaque())
  }

  /// Before the socket closes.
  func leave(_ record: ConnectionRecord) { CMicroHTTPD_leaveLane(handle, record.descriptor) }

  /// Takes what has come in on a connection, nothing at its end. True where it is dealt with; false leaves it to the library.
  fileprivate func arrived(on record: ConnectionRecord, _ bytes: UnsafeRawBufferPointer, of loop: ServingLoop) -> Bool {
    if record.isLeaving { return record.hasUnsent || !bytes.isEmpty }
    if bytes.isEmpty { return false }
    let now = CMicroHTTPD_coarseUptime()
    var said: LanePass.Said?
    if record.pass.isOpen, now - record.pass.handedAt < longestAbsence, !loop.isDraining.load(ordering: .relaxed),
      let reply = reply(to: bytes, &said)
    {
      // Before the client can know of it.
      loop.answeredEarly.store(loop.answeredEarly.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
      send(reply, on: record)
      return true
    }
    record.pass.handOver(bytes.count, now: now, said)
    return false
  }

  /// The whole reply to the one request that `bytes` are; nil where it is the library's to answer.
  private func reply(to bytes: UnsafeRawBufferPointer, _ said: inout LanePass.Said?) -> UnsafeRawBufferPointer? {
    guard let request = PlainRequest(bytes), let method = server.rules.atOnce(request.framing),
      let known = server.handler.recall(request.target)
    else { return nil }
    let reply = server.handler.hit(known, condition: { request.condition })
    if let reply, type(of: reply) == MHDPreparedReply.self,
      let whole = compose(unsafeDowncast(reply, to: MHDPreparedReply.self), withBody: method == .get)
    {
      return whole
    }
    said = LanePass.Said(known: known, reply: reply)
    return nil
  }

  private func send(_ reply: UnsafeRawBufferPointer, on record: ConnectionRecord) {
    let sent = Glibc.send(record.descriptor, reply.baseAddress, reply.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
    let isFault = sent < 0 && errno != EAGAIN
    record.turnPage()
    // A fault ends the connection by itself. Else the socket is full of answers that its client has not read, or memory is short.
    guard sent < reply.count, !isFault else { return }
    record.leave(unsent: Array(reply[max(0, sent)...]))
    server.counters.unread.wrappingAdd(1, ordering: .relaxed)
  }

  // MARK: - The reply

  private static let statusLine200: StaticString = "HTTP/1.1 200 OK\r\n"
  private static let statusLine304: StaticString = "HTTP/1.1 304 Not Modified\r\n"
  /// Where `Date:` begins, behind the longer status line.
  private static let dateStart = statusLine304.utf8CodeUnitCount
  private static let dateEnd = dateStart + "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n".utf8.count

  /// The reply as it goes out, in `scratch`; nil where it is too long or another status than a hit has.
  private func compose(_ reply: MHDPreparedReply, withBody: Bool) -> UnsafeRawBufferPointer? {
    let body = withBody && reply.status == 200 ? reply.bodyBytes : 0
    guard let fields = reply.fields, fields.longest + body <= Self.longestReply,
      let start = reply.status == 200
        ? write(Self.statusLine200) : reply.status == 304 ? write(Self.statusLine304) : nil
    else { return nil }
    let now = CMicroHTTPD_time()
    writeDate(now)
    var end = Self.dateEnd
    fields.write(into: scratch, at: &end, now: now)
    if body > 0 {
      reply.body.withUnsafeBytes {
        scratch.append(UnsafeRawBufferPointer(start: $0.baseAddress, count: body), at: &end)
      }
    }
    return UnsafeRawBufferPointer(rebasing: scratch[start..<end])
  }

  /// Writes the line so that it ends where the date begins; gives where it begins.
  @inline(__always)
  private func write(_ line: StaticString) -> Int {
    let start = Self.dateStart - line.utf8CodeUnitCount
    UnsafeMutableRawBufferPointer(rebasing: scratch[start...])
      .copyMemory(from: UnsafeRawBufferPointer(start: line.utf8Start, count: line.utf8CodeUnitCount))
    return start
  }

  private func writeDate(_ time: Int64) {
    guard time / 1000 != dated else { return }
    dated = time / 1000
    var end = Self.dateStart
    let line = "Date: \(HTTPDate.format(UnixTime(milliseconds: time)))\r\n"
    line.utf8.withContiguousStorageIfAvailable { scratch.append(UnsafeRawBufferPointer($0), at: &end) }
  }
}

private let somethingArrived: CMicroHTTPDArrival = { loop, record, bytes, count in
  guard let loop, let record else { return false }
  let bytes = UnsafeRawBufferPointer(start: bytes, count: count)
  return Unmanaged<ServingLoop>.fromOpaque(loop)._withUnsafeGuaranteedRef { loop in
    Unmanaged<ConnectionRecord>.fromOpaque(record)._withUnsafeGuaranteedRef { record in
      loop.lane?.arrived(on: record, bytes, of: loop) ?? false
    }
  }
}
