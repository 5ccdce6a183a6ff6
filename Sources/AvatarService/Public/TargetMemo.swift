import AvatarCore
import Synchronization

/// Request targets that were read and verified before, with all that a hit needs: a signed path once verified need not be
/// verified again. Whatever is no hit is read anew.
final class TargetMemo: Sendable {
  /// What a target leads to first.
  struct Lead: Sendable {
    /// The cache key of the first source.
    var key: CacheKey
    /// Whether more sources follow.
    var inChain: Bool
  }

  private let leads: Mutex<SieveCache<String, Lead>>

  /// Remembers targets of at most `bytes` in all; 0 remembers none.
  init(bytes: Int) { leads = Mutex(SieveCache(capacity: bytes)) }

  func lookup(_ path: String) -> Lead? { leads.withLock { $0.lookup(path) } }

  func remember(_ path: String, _ lead: Lead) {
    // The path is in the table twice, as key and in its slot, but its characters once.
    leads.withLock { leads in _ = leads.insert(lead, for: path, cost: path.utf8.count + 192) }
  }

  /// Forgets everything: the signing keys have changed.
  func forgetAll() { leads.withLock { leads in _ = leads.removeAll { _, _ in true } } }

  /// Bytes that it takes at present.
  var bytes: Int { leads.withLock { $0.totalCost } }
}
