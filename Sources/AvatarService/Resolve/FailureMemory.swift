import AvatarCore
import Synchronization

/// Remembered failures: by avatar, but a 401 or 403 by the exact URL only.
final class FailureMemory: Sendable {
  private let policy: NegativePolicy
  private let capacity: Int
  private let table: Mutex<NegativeTable<CacheKey>>

  init(policy: NegativePolicy, capacity: Int) {
    self.policy = policy
    self.capacity = capacity
    table = Mutex(NegativeTable(capacity: capacity))
  }

  /// The failure remembered for a source, and for how much longer.
  func lookup(_ source: AvatarSource, now: ContinuousClock.Instant) -> (error: AvatarError, remaining: Duration)? {
    table.withLock { table in
      table.lookup(source.key, now: now)
        ?? (source.sharesIdentity ? table.lookup(source.exactKey, now: now) : nil)
    }
  }

  /// Whether this exact URL was refused by its origin and that still holds.
  func refuses(exact key: CacheKey, now: ContinuousClock.Instant) -> Bool {
    table.withLock { $0.lookup(key, now: now).map { NegativePolicy.isForExactURL($0.error) } ?? false }
  }

  /// Remembers a failure as long as its cause deserves; gives the end of that, or nil where it is not remembered.
  func remember(_ error: AvatarError, key: CacheKey, exactKey: CacheKey, now: ContinuousClock.Instant)
    -> ContinuousClock.Instant?
  {
    guard let lifetime = policy.lifetime(of: error, jitter: Double.random(in: -1...1)) else { return nil }
    let until = now + lifetime
    table.withLock { table in
      table.remember(error, for: NegativePolicy.isForExactURL(error) ? exactKey : key, until: until, now: now)
    }
    return until
  }

  /// Forgets what was remembered for a source: it has just succeeded, or was purged.
  func forget(_ key: CacheKey, exactKey: CacheKey) {
    table.withLock { table in
      table.forget(key)
      table.forget(exactKey)
    }
  }

  /// Forgets everything: a purge by host or of all.
  func forgetAll() { table.withLock { $0 = NegativeTable(capacity: capacity) } }

  /// How many failures are remembered.
  var count: Int { table.withLock { $0.count } }
}
