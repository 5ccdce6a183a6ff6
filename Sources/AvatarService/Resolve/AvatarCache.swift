import AvatarCore
import Synchronization

/// The two tiers as one: memory in front, the disk behind, and the rules of freshness over both.
struct AvatarCache: Sendable {
  let memory: MemoryTier
  let entries: EntryTier
  let store: any AvatarStoring
  let policy: FreshnessPolicy
  let hashing: any Hashing
  let clock: any WallClock
  /// How long a look stands. Other processes on the directory may keep something meanwhile; then its origin is asked once more.
  let lookLifetime: Duration
  /// Counts removals, so that a load that began before one does not bring its avatar back.
  let removals = Removals()

  /// The avatar under `key` from memory or disk, whatever its freshness; one from disk is in memory from then on.
  func load(_ key: CacheKey) async -> HotAvatar? {
    await withCheckedContinuation { continuation in load(key) { continuation.resume(returning: $0) } }
  }

  /// The same without a task: `done` is called once, at once or on a thread of the store's, and must not block.
  func load(_ key: CacheKey, _ done: @escaping @Sendable (HotAvatar?) -> Void) {
    // A stale copy in memory may have been renewed on disk by another process on the directory.
    let held = memory.lookup(key)
    if let held, freshness(of: held).state == .fresh { return done(held) }
    let begun = moment
    store.load(key) { loaded in
      guard let loaded else { return done(held) }
      if let held, held.entry.metadata.receivedAt >= loaded.entry.metadata.receivedAt { return done(held) }
      let avatar = HotAvatar(entry: loaded.entry, jpeg: loaded.jpeg, isOnDisk: true)
      keepInMemory(avatar, begun: begun)
      done(avatar)
    }
  }

  /// The avatar under `key` from disk, if its entry is known, it is fresh, and its bytes are in the machine's memory; waits for nothing.
  func loadAtOnce(_ key: CacheKey) -> HotAvatar? {
    let begun = moment
    guard let entry = entries.lookup(key) else { return nil }
    let freshness = policy.assess(entry.metadata, staleSince: entry.staleSince, now: clock.now)
    guard freshness.state == .fresh, let jpeg = store.loadAtOnce(entry) else { return nil }
    let avatar = HotAvatar(entry: entry, jpeg: jpeg, isOnDisk: true)
    if memory.keepsAny { keepInMemory(avatar, begun: begun) }
    return avatar
  }

  /// What was found in both tiers, and when.
  struct Look: Sendable {
    let avatar: HotAvatar?
    /// Taken before anything was read: what is purged from then on must not come back by what was found.
    let epoch: PurgeEpoch
    let ended: ContinuousClock.Instant
  }

  /// `load`, for what may go on to a flight.
  func look(_ key: CacheKey) async -> Look {
    await withCheckedContinuation { continuation in look(key) { continuation.resume(returning: $0) } }
  }

  /// The same without a task.
  func look(_ key: CacheKey, _ done: @escaping @Sendable (Look) -> Void) {
    let epoch = store.epoch()
    load(key) { done(Look(avatar: $0, epoch: epoch, ended: .now)) }
  }

  /// Whether another look would find the same: what landed since would be in memory.
  func isCurrent(_ look: Look, _ key: CacheKey) -> Bool {
    memory.keepsAny && memory.lookup(key) === look.avatar && .now - look.ended < lookLifetime
  }

  /// What a purge or a removal changes, to be taken before anything is read that is to be kept in memory.
  struct Moment: Equatable {
    var epoch: PurgeEpoch
    var removals: Int
  }
  var moment: Moment { Moment(epoch: store.epoch(), removals: removals.count) }

  /// A purge raises the epoch, and a removal its count, before they empty the memory tier. So whoever keeps first and looks
  /// afterwards cannot bring back what has just been taken out.
  private func keepInMemory(_ avatar: HotAvatar, begun: Moment) {
    memory.keep(avatar)
    if avatar.isOnDisk { entries.keep(avatar.entry) } else { entries.drop(avatar.entry.key) }
    guard moment != begun else { return }
    drop(avatar.entry.key)
  }

  /// What may be done with an avatar now.
  func freshness(of avatar: HotAvatar) -> Freshness {
    policy.assess(avatar.entry.metadata, staleSince: avatar.entry.staleSince, now: clock.now)
  }

  /// The identity of finished bytes.
  func contentHash(of jpeg: [UInt8]) -> ContentHash { ContentHash(hashing.sha256(jpeg)) }

  /// Keeps what a flight brought. What its origin forbids to keep stays in memory; what a purge has overtaken is given to
  /// those waiting and kept nowhere; what the disk will not take is kept in memory.
  func keep(_ entry: Entry, jpeg: [UInt8], isNew: Bool, begun: PurgeEpoch) async -> (avatar: HotAvatar, stored: Bool) {
    let begunHere = Moment(epoch: begun, removals: removals.count)
    guard entry.metadata.directives.isDisjoint(with: [.noStore, .isPrivate]) else {
      await store.remove(entry.key)
      let avatar = HotAvatar(entry: entry, jpeg: FixedBytes(jpeg), isOnDisk: false)
      keepInMemory(avatar, begun: begunHere)
      return (avatar, false)
    }
    var outcome = await store.store(entry, object: isNew ? jpeg : nil, begun: begun)
    if outcome == .failed, !isNew { outcome = await store.store(entry, object: jpeg, begun: begun) }
    let avatar = HotAvatar(entry: entry, jpeg: FixedBytes(jpeg), isOnDisk: outcome == .stored)
    if outcome != .purged { keepInMemory(avatar, begun: begunHere) }
    return (avatar, outcome == .stored)
  }

  /// Drops an avatar from both tiers.
  func remove(_ key: CacheKey) async {
    await store.remove(key)
    removals.note()
    drop(key)
  }

  /// Forgets an avatar that was purged or removed; what is on disk is the store's.
  func drop(_ key: CacheKey) {
    memory.drop(key)
    entries.drop(key)
  }

  /// Forgets all that a purge covers.
  func drop(where isCovered: (Entry) -> Bool) {
    memory.drop(where: isCovered)
    entries.drop(where: isCovered)
  }

  /// How many avatars were removed so far.
  final class Removals: Sendable {
    private let number = Atomic<Int>(0)
    var count: Int { number.load(ordering: .sequentiallyConsistent) }
    func note() { number.add(1, ordering: .sequentiallyConsistent) }
  }
}
