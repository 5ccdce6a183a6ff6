import AvatarCore

/// How `cache.memoryBytes` is shared out.
struct MemoryShares {
  /// For avatars by their key.
  let avatars: Int
  /// For objects by their hash: phones ask for these behind a CDN, each rarely twice.
  let objects: Int
  /// For targets that have been read and verified. Some are remembered without a memory tier too, as a hit from disk is read faster then; more than
  /// a third of a million need no more.
  let targets: Int
  /// For what is known of avatars on disk, without a memory tier too, for the same reason.
  let entries: Int

  /// An eighth for objects, an eighth but between 4 and 256 MiB for targets, a sixteenth but between 4 and 128 MiB for entries, the rest for avatars.
  init(_ bytes: Int) {
    objects = bytes / 8
    targets = min(256 << 20, max(4 << 20, bytes / 8))
    entries = min(128 << 20, max(4 << 20, bytes / 16))
    avatars = max(0, bytes - objects - targets - entries)
  }
}
