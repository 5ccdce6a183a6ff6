public import Synchronization

/// One caller that waits for one flight: settled once, by whoever comes first; awaited once.
@usableFromInline final class FlightWaiter<Value: Sendable>: Sendable {
  /// How the wait ends.
  @usableFromInline enum Outcome: Sendable {
    /// The flight landed.
    case landed(Value)
    /// The deadline passed, or the caller was cancelled.
    case abandoned
  }

  @usableFromInline enum State {
    case idle
    case waiting(CheckedContinuation<Outcome, Never>)
    case settled(Outcome)
    /// The caller has its outcome; nothing of it is kept.
    case over
  }

  @usableFromInline let state = Mutex(State.idle)

  @inlinable init() {}

  /// Gives the caller its outcome unless it has one already.
  @inlinable func settle(_ outcome: Outcome) {
    let continuation = state.withLock { state -> CheckedContinuation<Outcome, Never>? in
      switch state {
      case .idle:
        state = .settled(outcome)
        return nil
      case .waiting(let continuation):
        state = .over
        return continuation
      case .settled, .over:
        return nil
      }
    }
    continuation?.resume(returning: outcome)
  }

  /// The outcome; `.abandoned` at once if the calling task is cancelled before. To be called once.
  @inlinable func outcome() async -> Outcome {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let settled = state.withLock { state -> Outcome? in
          guard case .settled(let outcome) = state else {
            state = .waiting(continuation)
            return nil
          }
          state = .over
          return outcome
        }
        if let settled { continuation.resume(returning: settled) }
      }
    } onCancel: {
      settle(.abandoned)
    }
  }
}
