public import AvatarCore

/// What a disk store is told at its start.
public struct DiskStoreOptions: Sendable {
  /// The cache directory; made if it is missing, found again if it vanishes. Relative paths count from the present working directory.
  public var directory: String
  /// Most bytes that the file system may have allocated for objects, reservations included; the index comes on top.
  public var maxBytes: Int
  /// SHA-256.
  public var hashing: any Hashing
  /// The wall clock, for records alone.
  public var clock: any WallClock
  /// Where state changes are written, one line each.
  public var log: any EventLogging
  /// Bytes a second that the background check of all files reads, 0 for none.
  public var scrubBytesPerSecond: Int
  /// Threads for reading and writing objects, 1…64.
  public var diskThreads: Int
  /// Most look-ups, and most changes, that wait for the disk; further ones are misses and failures.
  public var queueLimit: Int

  /// Makes options.
  public init(
    directory: String, maxBytes: Int, hashing: any Hashing, clock: any WallClock, log: any EventLogging,
    scrubBytesPerSecond: Int = 1 << 20, diskThreads: Int = 4, queueLimit: Int = 16_384
  ) {
    self.directory = directory
    self.maxBytes = maxBytes
    self.hashing = hashing
    self.clock = clock
    self.log = log
    self.scrubBytesPerSecond = scrubBytesPerSecond
    self.diskThreads = diskThreads
    self.queueLimit = queueLimit
  }
}
