import AvatarCore
import Synchronization

/// The one answer that a suspended connection waits for: settled exactly once, by whoever is first.
final class PendingReply: Sendable {
  /// How it was settled.
  enum Outcome: Sendable {
    case prepared(PreparedReply)
    case reply(HTTPReply)
  }

  private enum State: Sendable {
    case waiting(MHDConnection)
    case settled(Outcome)
    case taken
  }

  private let state: Mutex<State>
  private let loop: ServingLoop

  /// For a connection that is suspended already.
  init(for connection: MHDConnection, on loop: ServingLoop) {
    state = Mutex(.waiting(connection))
    self.loop = loop
  }

  /// Settles it and wakes the connection; false, without any effect, if it was settled before.
  @discardableResult
  func settle(_ outcome: Outcome) -> Bool {
    let connection: MHDConnection? = state.withLock { state in
      guard case .waiting(let connection) = state else { return nil }
      state = .settled(outcome)
      return connection
    }
    // Only the call that changed the state gets here, and only it resumes: until then the library keeps the
    // suspended connection, so that the handle is good.
    guard let connection else { return false }
    loop.resume(connection)
    return true
  }

  /// The outcome, for the loop after it was woken; nil if it was taken before.
  func take() -> Outcome? {
    state.withLock { state in
      guard case .settled(let outcome) = state else { return nil }
      state = .taken
      return outcome
    }
  }
}

/// What the handler gets: it must send once. One that is dropped without having sent answers 500, so that no
/// connection waits for ever.
final class Responder: HTTPResponder {
  private let pending: PendingReply
  private let abandoned: @Sendable () -> HTTPReply

  init(_ pending: PendingReply, abandoned: @escaping @Sendable () -> HTTPReply) {
    self.pending = pending
    self.abandoned = abandoned
  }

  deinit {
    if !pending.isSettled { pending.settle(.reply(abandoned())) }
  }

  func send(_ reply: HTTPReply) { pending.settle(.reply(reply)) }
  func send(_ reply: PreparedReply) { pending.settle(.prepared(reply)) }
}

extension PendingReply {
  /// Whether an answer is there, or was.
  var isSettled: Bool {
    state.withLock { state in
      if case .waiting = state { false } else { true }
    }
  }
}
