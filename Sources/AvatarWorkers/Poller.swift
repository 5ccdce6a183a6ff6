import CLinux

/// Waits for any of many descriptors; each is known by a token.
struct Poller: ~Copyable {
  /// What a descriptor is ready for.
  struct Event {
    let token: UInt64
    let isReadable: Bool
    let isWritable: Bool
    /// The other side is gone.
    let hasEnded: Bool
  }

  private let descriptor: Descriptor

  init() throws(SystemFault) {
    descriptor = Descriptor(owning: try SystemFault.check("epoll_create1", linux_poller()))
  }

  /// Watches a descriptor until it is closed.
  func add(_ number: Int32, token: UInt64) throws(SystemFault) {
    try SystemFault.require("epoll_ctl", linux_poller_add(descriptor.number, number, token, 0))
  }

  /// Watches it for room to write too, or not any more.
  func watch(_ number: Int32, token: UInt64, forWriting: Bool) {
    let result = linux_poller_change(descriptor.number, number, token, forWriting ? 1 : 0)
    precondition(result == 0, "the descriptor was added and is open")
  }

  /// Stops watching it though it stays open.
  func remove(_ number: Int32) { _ = linux_poller_remove(descriptor.number, number) }

  /// Waits until something is ready or `moment` has come, which is rounded up to the millisecond; nil waits for good.
  func wait(until moment: ContinuousClock.Instant?) -> [Event] {
    var tokens = [UInt64](repeating: 0, count: 64)
    var readiness = [Int32](repeating: 0, count: 64)
    let found = linux_poller_wait(descriptor.number, &tokens, &readiness, 64, Self.timeout(until: moment))
    precondition(found >= 0, "the poller is ours and open")
    return (0..<Int(found)).map { index in
      let bits = UInt32(bitPattern: readiness[index])
      return Event(
        token: tokens[index], isReadable: bits & LINUX_READABLE.rawValue != 0,
        isWritable: bits & LINUX_WRITABLE.rawValue != 0, hasEnded: bits & LINUX_ENDED.rawValue != 0)
    }
  }

  private static func timeout(until moment: ContinuousClock.Instant?) -> Int32 {
    guard let moment else { return -1 }
    let (seconds, attoseconds) = (moment - ContinuousClock.now).components
    if seconds < 0 || attoseconds < 0 { return 0 }
    return Int32(clamping: min(seconds, 3600) * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
  }
}
