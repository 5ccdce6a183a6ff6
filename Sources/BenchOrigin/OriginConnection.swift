internal import Glibc

/// One client's socket and how far its present answer has got.
final class OriginConnection {
  enum Phase {
    case reading
    /// Until its timer.
    case waiting(OriginAnswers.Action)
    case hanging
    case sending(OriginReply)
    /// The last answer is out; what the client still sends is thrown away, for a reset would overtake the answer.
    case leaving
  }

  enum Sending {
    case done
    /// The socket is full.
    case blocked
    /// The body's rate allows more from then on.
    case paused(ContinuousClock.Instant)
    case failed
  }

  let socket: Int32
  let token: UInt64
  var phase = Phase.reading
  /// What was read and not yet understood.
  var input: [UInt8] = []
  /// Whether it has asked for nothing yet but control.
  var isFirst = true
  var isWatchedForWriting = false
  /// Of the newest timer.
  var timerSerial: UInt64 = 0
  private var sent = 0
  private var bodyBegan: ContinuousClock.Instant?

  /// Owns `socket` from now on.
  init(owning socket: Int32, token: UInt64) {
    (self.socket, self.token) = (socket, token)
    var on: Int32 = 1
    setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
  }

  deinit { close(socket) }

  func receive(into place: UnsafeMutableRawBufferPointer) -> Int {
    recv(socket, place.baseAddress, place.count, Int32(MSG_DONTWAIT))
  }

  /// Has the socket's closing tell the client by a reset.
  func armReset() {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(socket, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
  }

  func finishSending() { shutdown(socket, Int32(SHUT_WR)) }

  /// Begins an answer.
  func begin(_ reply: OriginReply) {
    (phase, sent, bodyBegan) = (.sending(reply), 0, nil)
  }

  /// Sends what the socket takes and the rate allows; adds the body's bytes to `bytes`.
  func send(_ reply: borrowing OriginReply, counting bytes: inout Int) -> Sending {
    let head = reply.head.count
    let all = head + reply.length
    while sent < all {
      let (allowed, next) = allowance(reply)
      let end = min(all, head + allowed, sent + Self.mostInOneCall)
      guard sent < end else { return .paused(next) }
      let count = write(reply, upTo: end)
      guard count >= 0 else { return errno == EAGAIN ? .blocked : errno == EINTR ? .done : .failed }
      if reply.isCounted { bytes += max(0, sent + count - max(head, sent)) }
      sent += count
    }
    return .done
  }

  /// Bytes of the body that may have gone out by now, and when there may be more.
  private func allowance(_ reply: borrowing OriginReply) -> (Int, next: ContinuousClock.Instant) {
    let now = ContinuousClock.now
    guard let rate = reply.rate else { return (reply.length, now) }
    let began = bodyBegan ?? now
    bodyBegan = began
    let (seconds, attoseconds) = (now - began).components
    let allowed = Int(seconds) * rate + Int(Double(attoseconds) * 1e-18 * Double(rate))
    // A hundred steps a second, or a byte at a time.
    return (min(reply.length, allowed), now + max(.milliseconds(10), .seconds(1) / rate))
  }

  /// A kernel that does not preempt itself (PREEMPT_NONE) copies this much before anyone else has a turn on the core.
  private static let mostInOneCall = 64 << 10

  private func write(_ reply: borrowing OriginReply, upTo end: Int) -> Int {
    let head = reply.head.count
    return reply.head.withUnsafeBytes { headBytes in
      reply.body.withUnsafeBytes { bodyBytes in
        let headRest = UnsafeRawBufferPointer(rebasing: headBytes[min(sent, head)...])
        let bodyRest = UnsafeRawBufferPointer(
          rebasing: bodyBytes[max(0, sent - head)..<max(0, max(sent, end) - head)])
        var parts = (
          iovec(iov_base: .init(mutating: headRest.baseAddress), iov_len: headRest.count),
          iovec(iov_base: .init(mutating: bodyRest.baseAddress), iov_len: bodyRest.count)
        )
        return withUnsafeMutableBytes(of: &parts) { parts in
          var message = msghdr()
          message.msg_iov = parts.assumingMemoryBound(to: iovec.self).baseAddress
          message.msg_iovlen = 2
          return sendmsg(socket, &message, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
        }
      }
    }
  }
}
