import AvatarCore
import Synchronization

/// What other threads hand to the loop thread, and what it lets them see.
final class Mailbox: Sendable {
  /// One thing for the loop to do.
  enum Letter: Sendable {
    case fetch(Submission)
    case lookedUp(name: String, LookupOutcome, took: Duration)
  }

  /// One call of `fetch`.
  struct Submission: Sendable {
    let request: OriginRequest
    let deadline: ContinuousClock.Instant
    let continuation: CheckedContinuation<Result<OriginResponse, AvatarError>, Never>
  }

  private struct State {
    var letters: [Letter] = []
    var isOpen = true
    var statistics = FetchStatistics()
  }

  private let state = Mutex(State())
  private let multi: CurlMulti

  /// For the loop that waits in `multi`.
  init(multi: CurlMulti) { self.multi = multi }

  /// The loop's last counts.
  var statistics: FetchStatistics { state.withLock(\.statistics) }

  /// Hands a letter over; false if the loop has ended or is about to.
  func post(_ letter: Letter) -> Bool {
    state.withLock { state in
      guard state.isOpen else { return false }
      state.letters.append(letter)
      if state.letters.count == 1 { multi.wake() }
      return true
    }
  }

  /// Takes no more letters; the loop ends once it has seen this.
  func close() {
    state.withLock { state in
      guard state.isOpen else { return }
      state.isOpen = false
      multi.wake()
    }
  }

  /// For the loop: all letters, and whether to go on.
  func collect() -> (letters: [Letter], isOpen: Bool) {
    state.withLock { state in
      defer { state.letters = [] }
      return (state.letters, state.isOpen)
    }
  }

  /// For the loop: lets others see its counts.
  func show(_ statistics: FetchStatistics) { state.withLock { $0.statistics = statistics } }
}
