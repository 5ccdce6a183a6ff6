public import AvatarCore
import Synchronization

/// Ready avatars in memory, bounded by bytes; a hit costs one lock and sets a bit.
///
/// What leaves it is told so (`HotAvatar.leave`) in the same step, whatever the reason: nobody reaches it by a shortcut from then on.
public final class MemoryTier: Sendable {
  private let avatars: ShardedCache<CacheKey, HotAvatar>
  private let evicted = Atomic<Int>(0)
  private let capacity: Int

  /// Holds avatars of at most `bytes` in all. Zero keeps nothing.
  public init(bytes: Int) {
    capacity = bytes
    avatars = ShardedCache(
      capacity: bytes, divisible: 16 << 20, takeUse: { $0.takeReach() }, onLeave: { $0.leave() })
  }

  /// Whether it is there at all.
  var keepsAny: Bool { capacity > 0 }

  /// The avatar under `key`, whatever its freshness.
  public func lookup(_ key: CacheKey) -> HotAvatar? { avatars.lookup(key, spread: key.spread) }

  /// Keeps an avatar; older and unused ones make room. One that is larger than its share is not kept.
  public func keep(_ avatar: HotAvatar) {
    if capacity == 0 { return }
    let key = avatar.entry.key
    let gone = avatars.insert(avatar, for: key, spread: key.spread, cost: avatar.cost)
    if !gone.isEmpty { evicted.add(gone.count, ordering: .relaxed) }
  }

  /// Drops the avatar under `key`.
  public func drop(_ key: CacheKey) { avatars.remove(key, spread: key.spread) }

  /// Drops every avatar that `isCovered`.
  public func drop(where isCovered: (Entry) -> Bool) { avatars.removeAll { isCovered($0.entry) } }

  /// Avatars, their bytes, and how many were evicted since the start.
  public var statistics: (count: Int, bytes: Int, evictions: Int) {
    let (count, bytes) = avatars.statistics
    return (count, bytes, evicted.load(ordering: .relaxed))
  }
}

extension CacheKey {
  /// What keys differ in, for a table in parts.
  var spread: UInt64 { digest.words.3 }
}
