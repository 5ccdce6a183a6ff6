/// Remembered failures, bounded in number: a pure value, `now` is handed in.
///
/// Kept apart from the avatars, so that no number of failures pushes a good avatar out. When full, SIEVE chooses: what is asked for
/// again stays.
public struct NegativeTable<Key: Hashable & Sendable>: Sendable {
  @usableFromInline struct Negative: Sendable {
    @usableFromInline let error: AvatarError
    @usableFromInline let until: ContinuousClock.Instant
  }

  @usableFromInline var entries: SieveCache<Key, Negative>

  /// An empty table for at most `capacity` failures, 0 or more.
  public init(capacity: Int) { entries = SieveCache(capacity: capacity) }

  /// How many failures are kept at most.
  public var capacity: Int { entries.capacity }

  /// How many failures are kept, those that have run out but were not met since included.
  public var count: Int { entries.count }

  /// Remembers `error` until `until`, in place of what was remembered before. A moment that has passed forgets instead.
  public mutating func remember(
    _ error: AvatarError, for key: Key, until: ContinuousClock.Instant, now: ContinuousClock.Instant
  ) {
    guard until > now else {
      entries.remove(key)
      return
    }
    entries.insert(Negative(error: error, until: until), for: key)
  }

  /// The failure and how long it is remembered yet, more than zero; nil if there is none or its time is over.
  @inlinable
  public mutating func lookup(_ key: Key, now: ContinuousClock.Instant) -> (error: AvatarError, remaining: Duration)? {
    guard let negative = entries.lookup(key) else { return nil }
    guard negative.until > now else {
      entries.remove(key)
      return nil
    }
    return (negative.error, negative.until - now)
  }

  /// Forgets the key's failure.
  @inlinable
  public mutating func forget(_ key: Key) { entries.remove(key) }

  /// Forgets each failure for which `predicate` holds.
  public mutating func forgetAll(where predicate: (Key, AvatarError) -> Bool) {
    entries.removeAll { predicate($0, $1.error) }
  }
}
