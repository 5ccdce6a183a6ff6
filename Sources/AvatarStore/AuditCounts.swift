/// What an audit of the cache found and did.
public struct AuditCounts: Hashable, Sendable {
  /// Objects read and found whole.
  public var sound = 0
  /// Objects removed because their bytes did not fit their name.
  public var damaged = 0
  /// Objects whose file was gone; their entries were removed.
  public var missing = 0
  /// Files that the index did not know and that it has taken in.
  public var adopted = 0
  /// Files that the index did not know and that were removed, for want of room or after a purge of everything.
  public var collected = 0
  /// Files in the objects' folders that are not ours; left alone.
  public var foreign = 0
  /// What could not be checked or changed, because the disk refused.
  public var failures = 0
  /// Bytes read.
  public var bytesRead = 0

  /// All zero.
  public init() {}

  /// Adds another part's counts.
  public mutating func add(_ other: Self) {
    sound += other.sound
    damaged += other.damaged
    missing += other.missing
    adopted += other.adopted
    collected += other.collected
    foreign += other.foreign
    failures += other.failures
    bytesRead += other.bytesRead
  }
}
