internal import CLinux
internal import Glibc

/// Waits for any of many sockets; each is known by a token.
struct EventPoll: ~Copyable {
  struct Event {
    let token: UInt64
    let isReadable: Bool
    let isWritable: Bool
    /// The other side is gone, and for both directions.
    let hasEnded: Bool
  }

  private let descriptor: Int32
  private var tokens = [UInt64](repeating: 0, count: 64)
  private var readiness = [Int32](repeating: 0, count: 64)

  init() throws(OriginFault) {
    descriptor = linux_poller()
    guard descriptor >= 0 else { throw OriginFault("epoll_create1", -descriptor) }
  }

  deinit { close(descriptor) }

  func add(_ socket: Int32, token: UInt64, forWriting: Bool = false) throws(OriginFault) {
    let result = linux_poller_add(descriptor, socket, token, forWriting ? 1 : 0)
    guard result == 0 else { throw OriginFault("epoll_ctl", result) }
  }

  /// Watches it for room to write too, or not any more.
  func watch(_ socket: Int32, token: UInt64, forWriting: Bool) {
    let result = linux_poller_change(descriptor, socket, token, forWriting ? 1 : 0)
    precondition(result == 0, "the socket was added and is open")
  }

  func remove(_ socket: Int32) { _ = linux_poller_remove(descriptor, socket) }

  /// Calls `take` for what is ready, after at most `milliseconds` (negative: as long as it takes).
  mutating func wait(milliseconds: Int32, _ take: (Event) -> Void) {
    let found = linux_poller_wait(descriptor, &tokens, &readiness, 64, milliseconds)
    precondition(found >= 0, "the poller is ours and open")
    for index in 0..<Int(found) {
      let bits = UInt32(bitPattern: readiness[index])
      take(
        Event(
          token: tokens[index], isReadable: bits & LINUX_READABLE.rawValue != 0,
          isWritable: bits & LINUX_WRITABLE.rawValue != 0, hasEnded: bits & LINUX_ENDED.rawValue != 0))
    }
  }
}
