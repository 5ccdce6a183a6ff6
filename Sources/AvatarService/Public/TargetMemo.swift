import AvatarCore
import Glibc

/// Request targets that were read and verified before, with all that a hit needs: a signed path once verified need not be
/// verified again. Whatever is no hit is read anew.
final class TargetMemo: Sendable {
  /// What a target leads to first.
  final class Lead: KnownTarget, @unchecked Sendable {
    /// The cache key of the first source.
    let key: CacheKey
    /// Whether more sources follow.
    let inChain: Bool
    /// The first 16 hexadecimal digits of the content that the URL was handed out for; nil without `?v=`.
    let version: String?
    /// The sources.
    let avatar: AvatarTarget

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

  private let leads: ShardedCache<UInt64, Lead>

  /// Remembers targets of at most `bytes` in all; 0 remembers none.
  init(bytes: Int) { leads = ShardedCache(capacity: bytes, divisible: 1 << 20) }

  /// What is known of a raw target.
  func lookup(_ target: UnsafeRawBufferPointer) -> Lead? {
    let hash = Self.hash(target)
    guard let lead = leads.lookup(hash, spread: Self.spread(hash)) else { return nil }
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
    leads.insert(lead, for: hash, spread: Self.spread(hash), cost: lead.cost)
  }

  /// Forgets everything: the signing keys have changed.
  func forgetAll() { leads.removeAll { _ in true } }

  /// The table itself goes by the hash's lower bits.
  private static func spread(_ hash: UInt64) -> UInt64 { hash >> 60 }

  /// Seeded anew in each process (SipHash): nobody outside can choose targets that collide.
  private static func hash(_ target: UnsafeRawBufferPointer) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(bytes: target)
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }
}
