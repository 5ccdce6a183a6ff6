import CMicroHTTPD
import Glibc
import Synchronization

/// What is kept of one connection beside the library's own record of it.
///
/// `@unchecked Sendable`: `turn` is an atomic with one writer, the connection's loop; `socket` and `waiting` are locked; `spare` belongs
/// to the loop's thread, `watch` to the sweeper's.
final class ConnectionRecord: @unchecked Sendable {
  /// The loop that serves it.
  let loop: ServingLoop
  /// The answer that the connection is suspended for; nil while it is not.
  let waiting = Mutex<PendingReply?>(nil)
  /// The last request's context, for the next one. It holds the record: the loop takes it out when the connection closes.
  var spare: RequestContext?
  private let turn = Atomic<UInt32>(ConnectionTurn(serial: 0, phase: .awaiting).word)
  private let socket: Mutex<Int32>
  private var watch = ConnectionWatch()
  private var isCondemned = false

  init(loop: ServingLoop, descriptor: Int32) {
    self.loop = loop
    socket = Mutex(descriptor)
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
  func forgetSocket() { socket.withLock { $0 = -1 } }

  // MARK: - The sweeper's side

  /// Looks at the connection's age and shuts the socket down where it is too high; says so once.
  func sweep(now: ContinuousClock.Instant, limits: ConnectionWatch.Limits) -> ConnectionWatch.Verdict {
    let turn = ConnectionTurn(word: turn.load(ordering: .relaxed))
    guard !isCondemned else { return .keep }
    let verdict = watch.look(at: turn, now: now, limits: limits) { bytesReceived() }
    if verdict != .keep {
      isCondemned = true
      shutDown()
    }
    return verdict
  }

  /// Ends the connection in both directions; its loop notices and cleans up.
  func shutDown() {
    socket.withLock { descriptor in
      // The lock is held across the call, and `forgetSocket` waits for it: the descriptor cannot be another one's.
      if descriptor >= 0 { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }
    }
  }

  private func bytesReceived() -> UInt64? {
    socket.withLock { descriptor in
      guard descriptor >= 0 else { return nil }
      let count = CMicroHTTPD_bytesReceived(descriptor)
      return count == .max ? nil : count
    }
  }
}
