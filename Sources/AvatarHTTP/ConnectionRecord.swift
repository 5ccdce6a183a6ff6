import CMicroHTTPD
import Glibc
import Synchronization

/// What is kept of one connection beside the library's own record of it.
///
/// `@unchecked Sendable`: `turn` is an atomic with one writer, the connection's loop; `socket` and `waiting` are locked; `spare`, `pass`
/// and `isLeaving` belong to the loop's thread, `watch` to the sweeper's.
final class ConnectionRecord: @unchecked Sendable {
  /// The loop that serves it.
  let loop: ServingLoop
  /// The socket as the loop knows it, good until `forgetSocket`.
  let descriptor: Int32
  /// Whether its next request may go by the library.
  var pass: LanePass
  /// Whether an answer is on its way that the connection ends with, and that neither lane nor library have in hand.
  private(set) var isLeaving = false
  /// The answer that the connection is suspended for; nil while it is not.
  let waiting = Mutex<PendingReply?>(nil)
  /// The last request's context, for the next one. It holds the record: the loop takes it out when the connection closes.
  var spare: RequestContext?
  private let turn = Atomic<UInt32>(ConnectionTurn(serial: 0, phase: .awaiting).word)
  private let socket: Mutex<Socket>
  private var watch = ConnectionWatch()
  private var isCondemned = false

  private struct Socket {
    /// -1 once it is about to close.
    var descriptor: Int32
    /// What the sweeper has to send before the connection ends.
    var unsent: [UInt8] = []
  }

  init(loop: ServingLoop, descriptor: Int32) {
    self.loop = loop
    self.descriptor = descriptor
    pass = LanePass(now: CMicroHTTPD_coarseUptime())
    socket = Mutex(Socket(descriptor: descriptor))
  }

  // MARK: - The loop's side

  /// Notes how far the present request is.
  func enter(_ phase: ConnectionTurn.Phase) {
    var next = ConnectionTurn(word: turn.load(ordering: .relaxed))
    next.phase = phase
    turn.store(next.word, ordering: .relaxed)
  }

  /// Notes that the present request is done with.
  func turnPage() {
    let serial = ConnectionTurn(word: turn.load(ordering: .relaxed)).serial
    turn.store(ConnectionTurn(serial: serial &+ 1, phase: .awaiting).word, ordering: .relaxed)
  }

  /// The library is about to close the socket: from here on nobody else touches the descriptor, which may soon be
  /// another connection's.
  func forgetSocket() { socket.withLock { $0 = Socket(descriptor: -1) } }

  /// The socket did not take all of an answer: the sweeper sends the rest, with which the connection ends.
  func leave(unsent: [UInt8]) {
    isLeaving = true
    enter(.answering)
    socket.withLock { $0.unsent = unsent }
  }

  /// Whether the sweeper has not sent all of it.
  var hasUnsent: Bool { socket.withLock { !$0.unsent.isEmpty } }

  // MARK: - The sweeper's side

  /// Looks at the connection's age and shuts the socket down where it is too high; says so once.
  func sweep(now: ContinuousClock.Instant, limits: ConnectionWatch.Limits) -> ConnectionWatch.Verdict {
    let turn = ConnectionTurn(word: turn.load(ordering: .relaxed))
    guard !isCondemned else { return .keep }
    pushUnsent()
    let verdict = watch.look(at: turn, now: now, limits: limits) { bytesReceived() }
    if verdict != .keep {
      isCondemned = true
      shutDown()
    }
    return verdict
  }

  /// Ends the connection in both directions; its loop notices and cleans up.
  func shutDown() {
    socket.withLock { socket in
      // The lock is held across the call, and `forgetSocket` waits for it: the descriptor cannot be another one's.
      if socket.descriptor >= 0 { _ = shutdown(socket.descriptor, Int32(SHUT_RDWR)) }
    }
  }

  /// Sends what the socket takes of the last answer, and tells the client with its end that there will be no other.
  private func pushUnsent() {
    socket.withLock { socket in
      guard !socket.unsent.isEmpty, socket.descriptor >= 0 else { return }
      let sent = socket.unsent.withUnsafeBytes {
        send(socket.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
      }
      if sent > 0 { socket.unsent.removeFirst(sent) }
      if socket.unsent.isEmpty { _ = shutdown(socket.descriptor, Int32(SHUT_WR)) }
    }
  }

  private func bytesReceived() -> UInt64? {
    socket.withLock { socket in
      guard socket.descriptor >= 0 else { return nil }
      let count = CMicroHTTPD_bytesReceived(socket.descriptor)
      return count == .max ? nil : count
    }
  }
}
