import AvatarCore
import Synchronization

/// A SIEVE table in parts with a lock each, so that the loops' threads rarely meet.
struct ShardedCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private final class Shard: Sendable {
    let cache: Mutex<SieveCache<Key, Value>>
    init(capacity: Int, takeUse: @escaping @Sendable (Value) -> Bool) {
      cache = Mutex(SieveCache(capacity: capacity, takeUse: takeUse))
    }
  }
  private let shards: [Shard]

  /// `capacity` in all, in eight parts; in one where it is less than `divisible`, which would leave parts too small for one value. `takeUse`
  /// is `SieveCache`'s.
  init(capacity: Int, divisible: Int, takeUse: @escaping @Sendable (Value) -> Bool = { _ in false }) {
    let count = capacity < divisible ? 1 : 8
    shards = (0..<count).map { _ in Shard(capacity: capacity / count, takeUse: takeUse) }
  }

  /// The value under `key`, whose use is noted. `spread` is any number that keys differ in, the same for one key each time.
  @inline(__always)
  func lookup(_ key: Key, spread: UInt64) -> Value? { shard(spread).cache.withLock { $0.lookup(key) } }

  /// Keeps a value; gives what made room for it, or did not fit, to be released outside the lock.
  @discardableResult
  func insert(_ value: Value, for key: Key, spread: UInt64, cost: Int) -> [Value] {
    shard(spread).cache.withLock { $0.insert(value, for: key, cost: cost) }
  }

  /// Takes a value out, and gives it to be released outside the lock.
  @discardableResult
  func remove(_ key: Key, spread: UInt64) -> Value? { shard(spread).cache.withLock { $0.remove(key) } }

  /// Takes out all that `isCovered`, and gives it.
  @discardableResult
  func removeAll(where isCovered: (Value) -> Bool) -> [Value] {
    shards.flatMap { shard in shard.cache.withLock { $0.removeAll { isCovered($1) } } }
  }

  /// Values and what they cost.
  var statistics: (count: Int, cost: Int) {
    shards.reduce((0, 0)) { sum, shard in
      shard.cache.withLock { (sum.0 + $0.count, sum.1 + $0.totalCost) }
    }
  }

  @inline(__always)
  private func shard(_ spread: UInt64) -> Shard { shards[Int(truncatingIfNeeded: spread) & (shards.count - 1)] }
}
