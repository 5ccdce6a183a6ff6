import Glibc
import Synchronization

/// Holds threads until it is opened; stays open.
final class Latch: Sendable {
  private let state = Mutex(false)

  var isOpen: Bool { state.withLock { $0 } }
  func open() { state.withLock { $0 = true } }
  /// Blocks the calling thread (never one of the cooperative pool).
  func wait() {
    while !isOpen { _ = poll(nil, 0, 2) }
  }
}

/// Waits until something holds, for ten seconds at most; what does not come about in that time is a fault.
func eventually(_ holds: () -> Bool) async -> Bool {
  for _ in 0..<2000 {
    if holds() { return true }
    try? await Task.sleep(for: .milliseconds(5))
  }
  return holds()
}
