import AvatarCore
import CMicroHTTPD
import Glibc

/// Owns an event that one thread waits for and others signal.
final class WakeUp: Sendable {
  /// To wait for together with others.
  let descriptor: Int32

  /// Throws `internal` where the process has no descriptor left.
  init() throws(AvatarError) {
    descriptor = CMicroHTTPD_event()
    guard descriptor >= 0 else { throw AvatarError(.internalFault, "eventfd: \(String(cString: strerror(errno)))") }
  }

  deinit { close(descriptor) }

  /// Wakes the waiting thread, or the next one that waits.
  func signal() {
    var one: UInt64 = 1
    _ = write(descriptor, &one, MemoryLayout<UInt64>.size)
  }

  /// Waits for a signal and takes it; false if none came in time.
  func wait(milliseconds: Int32) -> Bool {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&waiting, 1, milliseconds) > 0 else { return false }
    var taken: UInt64 = 0
    return read(descriptor, &taken, MemoryLayout<UInt64>.size) > 0
  }
}
