public import AvatarCore
import Synchronization

/// Ready avatars in memory, bounded by bytes; a hit costs one lock and sets a bit.
public final class MemoryTier: Sendable {
  private final class Shard: Sendable {
    let cache: Mutex<SieveCache<CacheKey, HotAvatar>>
    init(capacity: Int) { cache = Mutex(SieveCache(capacity: capacity)) }
  }
  private let shards: [Shard]
  private let evicted = Atomic<Int>(0)
  private let capacity: Int

  /// Holds avatars of at most `bytes` in all. Zero keeps nothing.
  public init(bytes: Int) {
    capacity = bytes
    let count = bytes < 16 << 20 ? 1 : 8  // A small tier is not cut into shares too small for one avatar.
    shards = (0..<count).map { _ in Shard(capacity: bytes / count) }
  }

  /// Whether it is there at all.
  var keepsAny: Bool { capacity > 0 }

  /// The avatar under `key`, whatever its freshness.
  public func lookup(_ key: CacheKey) -> HotAvatar? { shard(key).cache.withLock { $0.lookup(key) } }

  /// Keeps an avatar; older and unused ones make room. One that is larger than its share is not kept.
  public func keep(_ avatar: HotAvatar) {
    if capacity == 0 { return }
    let gone = shard(avatar.entry.key).cache.withLock { $0.insert(avatar, for: avatar.entry.key, cost: avatar.cost) }
    if !gone.isEmpty { evicted.add(gone.count, ordering: .relaxed) }
  }

  /// Drops the avatar under `key`.
  public func drop(_ key: CacheKey) { _ = shard(key).cache.withLock { $0.remove(key) } }

  /// Drops every avatar that `isCovered`.
  public func drop(where isCovered: (Entry) -> Bool) {
    for shard in shards { _ = shard.cache.withLock { $0.removeAll { isCovered($1.entry) } } }
  }

  /// Avatars, their bytes, and how many were evicted since the start.
  public var statistics: (count: Int, bytes: Int, evictions: Int) {
    var count = 0
    var bytes = 0
    for shard in shards {
      shard.cache.withLock {
        count += $0.count
        bytes += $0.totalCost
      }
    }
    return (count, bytes, evicted.load(ordering: .relaxed))
  }

  private func shard(_ key: CacheKey) -> Shard {
    shards[Int(truncatingIfNeeded: key.digest.words.3) & (shards.count - 1)]
  }
}
