/// Whether the disk takes writes: after a fault nothing is tried until a pause is over, and pauses grow to a few seconds.
///
/// A pure value; times are monotonic milliseconds that are handed in.
struct DiskHealth: Hashable, Sendable {
  static let shortestPause: Int64 = 500
  static let longestPause: Int64 = 4000

  private(set) var isWritable = true
  private var pause = shortestPause
  private var retryAt: Int64 = 0
  private var lastFaultAt: Int64 = .min

  /// Whether a write may be tried at all.
  func mayProbe(at now: Int64) -> Bool { !isWritable && now >= retryAt }

  /// Notes a fault; true if the state changed by it.
  mutating func noteFault(at now: Int64) -> Bool {
    // What was under way when the disk failed fails too; that is not another try.
    guard isWritable || now >= retryAt else { return false }
    let changed = isWritable
    // A disk that comes and goes keeps its long pauses; one that was well for a while begins anew.
    let wasWell = changed && (lastFaultAt == .min || now - lastFaultAt > 60_000)
    pause = wasWell ? Self.shortestPause : min(pause * 2, Self.longestPause)
    isWritable = false
    retryAt = now + pause
    lastFaultAt = now
    return changed
  }

  /// Notes a write that went well; true if the state changed by it.
  mutating func noteSuccess() -> Bool {
    guard !isWritable else { return false }
    isWritable = true
    return true
  }
}
