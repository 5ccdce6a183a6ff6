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
  private let onLeave: @Sendable (Value) -> Void

  /// `capacity` in all, in eight parts; in one where it is less than `divisible`, which would leave parts too small for one value. `takeUse`
  /// is `SieveCache`'s. `onLeave` is called with each value that is in no part any more, before anybody can find that out: inside the part's
  /// lock, so it must be short and take no other of this table's.
  init(
    capacity: Int, divisible: Int, takeUse: @escaping @Sendable (Value) -> Bool = { _ in false },
    onLeave: @escaping @Sendable (Value) -> Void = { _ in }
  ) {
    self.onLeave = onLeave
    let count = capacity < divisible ? 1 : 8
    shards = (0..<count).map { _ in Shard(capacity: capacity / count, takeUse: takeUse) }
  }

  /// The value under `key`, whose use is noted. `spread` is any number that keys differ in, the same for one key each time.
  @inline(__always)
  func lookup(_ key: Key, spread: UInt64) -> Value? { shard(spread).cache.withLock { $0.lookup(key) } }

  /// Keeps a value; gives what made room for it, or did not fit, to be released outside the lock.
  @discardableResult
  func insert(_ value: Value, for key: Key, spread: UInt64, cost: Int) -> [Value] {
    shard(spread).cache.withLock { cache in
      let gone = cache.insert(value, for: key, cost: cost)
      gone.forEach(onLeave)
      return gone
    }
  }

  /// Takes a value out, and gives it to be released outside the lock.
  @discardableResult
  func remove(_ key: Key, spread: UInt64) -> Value? {
    shard(spread).cache.withLock { cache in
      let gone = cache.remove(key)
      if let gone { onLeave(gone) }
      return gone
    }
  }

  /// Takes out all that `isCovered`, and gives it.
  @discardableResult
  func removeAll(where isCovered: (Value) -> Bool) -> [Value] {
    shards.flatMap { shard in
      shard.cache.withLock { cache in
        let gone = cache.removeAll { isCovered($1) }
        gone.forEach(onLeave)
        return gone
      }
    }
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
