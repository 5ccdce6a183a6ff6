import AvatarCore
import Synchronization

/// A server's event loops: those that take new connections, and those that only finish their own after a reload.
final class LoopFleet: Sendable {
  private struct State {
    var serving: [ServingLoop]
    var retiring: [ServingLoop] = []
    var isDraining = false
    var isStopped = false
  }

  private let state: Mutex<State>

  init(_ loops: [ServingLoop]) { state = Mutex(State(serving: loops)) }

  /// Starts as many loops as the options say; none is left running if one does not start.
  static func start(_ core: ServerCore, _ options: HTTPServerOptions) throws(AvatarError) -> [ServingLoop] {
    var loops: [ServingLoop] = []
    for _ in 0..<max(1, options.threads) {
      do {
        loops.append(try ServingLoop(server: core, options: options))
      } catch {
        loops.forEach { $0.stop() }
        throw error
      }
    }
    return loops
  }

  /// Every loop that runs.
  var all: [ServingLoop] { state.withLock { $0.serving + $0.retiring } }

  /// Gives the connection to the loop that has the fewest; false if none takes it. The library closes it then.
  func add(_ socket: AcceptedSocket) -> Bool {
    // Inside the lock, so that no loop is stopped while a socket is handed to it.
    state.withLock { state in
      let fewest = state.serving.min { first, second in
        first.connections.load(ordering: .relaxed) + first.onTheWay
          < second.connections.load(ordering: .relaxed) + second.onTheWay
      }
      return fewest?.add(socket) ?? false
    }
  }

  /// Connections that no loop's thread has seen yet.
  var onTheWay: Int { state.withLock { state in state.serving.reduce(0) { $0 + $1.onTheWay } } }

  /// Has every answer end its connection.
  func beginDrain() {
    state.withLock { state in
      state.isDraining = true
      for loop in state.serving { loop.isDraining.store(true, ordering: .relaxed) }
    }
  }

  /// Sends new connections to `loops`; the present loops only finish. False if the fleet was stopped.
  func replace(with loops: [ServingLoop]) -> Bool {
    state.withLock { state in
      guard !state.isStopped else { return false }
      for loop in state.serving { loop.isDraining.store(true, ordering: .relaxed) }
      if state.isDraining { for loop in loops { loop.isDraining.store(true, ordering: .relaxed) } }
      state.retiring += state.serving
      state.serving = loops
      return true
    }
  }

  /// Nudges the loops that have many connections; false if there is none.
  func nudgeCrowded() -> Bool {
    // Inside the lock, so that none is stopped meanwhile.
    state.withLock { state in
      let crowded = (state.serving + state.retiring).filter { loop in
        loop.connections.load(ordering: .relaxed) >= ServingLoop.crowd
      }
      for loop in crowded { loop.nudge() }
      return !crowded.isEmpty
    }
  }

  /// Stops the retiring loops that have no connection left.
  func stopRetired() {
    let finished = state.withLock { state in
      let finished = state.retiring.filter { $0.isEmpty }
      state.retiring.removeAll { loop in finished.contains { $0 === loop } }
      return finished
    }
    for loop in finished { loop.stop() }
  }

  /// Stops every loop with all its connections, none of which may be suspended. Once.
  func stopAll() {
    let loops = state.withLock { state in
      let loops = state.serving + state.retiring
      state.serving = []
      state.retiring = []
      state.isStopped = true
      return loops
    }
    for loop in loops { loop.stop() }
  }
}
