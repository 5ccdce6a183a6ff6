import AvatarCore

/// Request targets that were read and verified before, with all that a hit needs: a signed path once verified need not be
/// verified again. Whatever is no hit is read anew.
final class TargetMemo: Sendable {
  private let leads: ShardedCache<UInt64, TargetLead>

  /// Remembers targets of at most `bytes` in all; 0 remembers none.
  init(bytes: Int) { leads = ShardedCache(capacity: bytes, divisible: 1 << 20) }

  /// What is known of a raw target.
  func lookup(_ target: UnsafeRawBufferPointer) -> TargetLead? {
    let hash = Self.hash(target)
    guard let lead = leads.lookup(hash, spread: Self.spread(hash)) else { return nil }
    MemoryAhead(lead, bytes: TargetLead.bytes).fetch()
    // Two targets may share a hash. Then the later one is known, and the other read each time.
    return lead.isSame(as: target) ? lead : nil
  }

  func remember(_ lead: TargetLead) {
    let hash = lead.withUnsafeBytes(Self.hash)
    for forgotten in leads.insert(lead, for: hash, spread: Self.spread(hash), cost: lead.cost) { forgotten.end() }
  }

  /// Forgets everything: the signing keys have changed.
  func forgetAll() {
    for forgotten in leads.removeAll(where: { _ in true }) { forgotten.end() }
  }

  /// The table itself goes by the hash's lower bits.
  private static func spread(_ hash: UInt64) -> UInt64 { hash >> 60 }

  /// Seeded anew in each process (SipHash): nobody outside can choose targets that collide.
  private static func hash(_ target: UnsafeRawBufferPointer) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(bytes: target)
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }
}
