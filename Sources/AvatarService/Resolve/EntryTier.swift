import AvatarCore

/// What is known of avatars on disk, so that a hit from there need not ask the index: a tenth of a picture's size each.
struct EntryTier: Sendable {
  private let entries: ShardedCache<CacheKey, Entry>

  /// Holds entries of at most `bytes` in all. Zero keeps nothing.
  init(bytes: Int) { entries = ShardedCache(capacity: bytes, divisible: 1 << 20) }

  /// The entry under `key`, whatever its freshness.
  func lookup(_ key: CacheKey) -> Entry? { entries.lookup(key, spread: key.spread) }

  func keep(_ entry: Entry) {
    // The URL, two hashes, and the table's own share.
    entries.insert(entry, for: entry.key, spread: entry.key.spread, cost: entry.source.utf8.count + 512)
  }

  func drop(_ key: CacheKey) { entries.remove(key, spread: key.spread) }

  func drop(where isCovered: (Entry) -> Bool) { entries.removeAll(where: isCovered) }
}
