import AvatarCore
import Glibc
import Synchronization

/// Request targets that were read and verified before, with all that a hit needs: a signed path once verified need not be
/// verified again. Whatever is no hit is read anew.
final class TargetMemo: Sendable {
  /// What a target leads to first.
  final class Lead: KnownTarget, @unchecked Sendable {
    /// The sources.
    let avatar: AvatarTarget
    /// The cache key of the first source.
    let key: CacheKey
    /// Whether more sources follow.
    let inChain: Bool
    /// The first 16 hexadecimal digits of the content that the URL was handed out for; nil without `?v=`.
    let version: String?

    /// `avatar` has one source at least.
    init(_ request: HTTPRequest, _ avatar: AvatarTarget) {
      self.avatar = avatar
      key = avatar.sources[0].key
      inChain = avatar.sources.count > 1
      version = PublicRoute.version(inQuery: request.query)
      super.init(target: Array(request.path.utf8) + (request.query.map { [UInt8(ascii: "?")] + $0.utf8 } ?? []))
    }

    /// About what it takes in memory, in bytes: a source is little more than its URL, which the target has in base64.
    var cost: Int { 2 * target.count + 512 }
  }

  private final class Shard: Sendable {
    let leads: Mutex<SieveCache<UInt64, Lead>>
    init(capacity: Int) { leads = Mutex(SieveCache(capacity: capacity)) }
  }
  private let shards: [Shard]

  /// Remembers targets of at most `bytes` in all; 0 remembers none.
  init(bytes: Int) {
    let count = bytes < 1 << 20 ? 1 : 8  // A small one is not cut into shares too small for a long target.
    shards = (0..<count).map { _ in Shard(capacity: bytes / count) }
  }

  /// What is known of a raw target.
  func lookup(_ target: UnsafeRawBufferPointer) -> Lead? {
    let hash = Self.hash(target)
    guard let lead = shard(hash).leads.withLock({ $0.lookup(hash) }) else { return nil }
    // Two targets may share a hash. Then the later one is known, and the other read each time.
    let isSame = lead.target.withUnsafeBytes { bytes in
      guard bytes.count == target.count, let known = bytes.baseAddress, let asked = target.baseAddress else {
        return false
      }
      return memcmp(known, asked, bytes.count) == 0
    }
    return isSame ? lead : nil
  }

  func remember(_ lead: Lead) {
    let hash = lead.target.withUnsafeBytes(Self.hash)
    let replaced = shard(hash).leads.withLock { $0.insert(lead, for: hash, cost: lead.cost) }
    _ = replaced  // Released outside the lock.
  }

  /// Forgets everything: the signing keys have changed.
  func forgetAll() {
    for shard in shards { _ = shard.leads.withLock { leads in leads.removeAll { _, _ in true } } }
  }

  private func shard(_ hash: UInt64) -> Shard { shards[Int(truncatingIfNeeded: hash >> 60) & (shards.count - 1)] }

  /// Seeded anew in each process (SipHash): nobody outside can choose targets that collide.
  private static func hash(_ target: UnsafeRawBufferPointer) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(bytes: target)
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }
}
