import Synchronization

/// Runs prefetched avatars a few at a time, so that ten thousand at once neither flood the workers' queue nor stand in the way of hits.
///
/// An avatar that waits for its lane has no flight yet: a phone that asks for it meanwhile begins one and waits for nobody.
final class PrefetchLanes: Sendable {
  typealias Work = @Sendable () async -> Void

  /// How long work that takes its time keeps its lane.
  private static let patience = Duration.seconds(1)
  private static let look = Duration.milliseconds(100)

  private let state: Mutex<State>

  private struct State {
    var queue: PrefetchQueue<Work>
    var isWatched = false
  }

  /// So many lanes, 1 or more.
  init(_ lanes: Int) {
    state = Mutex(State(queue: PrefetchQueue(lanes: lanes, patience: Self.patience)))
  }

  /// Work that waits for a lane.
  var waiting: Int { state.withLock { $0.queue.waiting } }

  /// Runs `work` when its turn has come: before others if somebody waits for it.
  func add(isAwaited: Bool, _ work: @escaping Work) {
    state.withLock { $0.queue.add(work, isAwaited: isAwaited) }
    advance()
  }

  private func end(_ ticket: PrefetchQueue<Work>.Ticket) {
    state.withLock { $0.queue.end(ticket) }
    advance()
  }

  private func advance() {
    let (turns, mustWatch) = state.withLock { state in
      let turns = state.queue.turns(now: .now)
      let mustWatch = state.queue.waiting > 0 && !state.isWatched
      if mustWatch { state.isWatched = true }
      return (turns, mustWatch)
    }
    for turn in turns {
      Task {
        await turn.work()
        self.end(turn.ticket)
      }
    }
    if mustWatch { watch() }
  }

  /// While work waits, takes lanes from those that have had them for long.
  private func watch() {
    Task {
      while true {
        // Throws when cancelled only, and nobody can cancel this task.
        try? await Task.sleep(for: Self.look)
        advance()
        let isOver = state.withLock { state in
          if state.queue.waiting == 0 { state.isWatched = false }
          return !state.isWatched
        }
        if isOver { return }
      }
    }
  }
}
