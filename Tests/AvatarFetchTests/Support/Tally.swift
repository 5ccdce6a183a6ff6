import Glibc
import Synchronization

/// Counts what happened, by name.
final class Tally: Sendable {
  private let state = Mutex<[String]>([])
  var names: [String] { state.withLock { $0 } }
  func add(_ name: String) -> Int {
    state.withLock { names in
      names.append(name)
      return names.count
    }
  }
  /// Blocks the calling thread (never one of the cooperative pool) until more happened here than there.
  func wait(untilMoreThan other: Tally) {
    while names.count <= other.names.count { _ = poll(nil, 0, 2) }
  }
}
