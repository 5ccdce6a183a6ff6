import AvatarCore
import Synchronization

/// Objects that are asked for by their hash, ready in memory. What their bytes are never changes; a purge empties the tier.
final class ObjectTier: Sendable {
  private struct Ready: Sendable {
    let whole: PreparedReply
    let notModified: PreparedReply
  }

  private let store: any AvatarStoring
  private let preparer: any ReplyPreparing
  private let ready: Mutex<SieveCache<ContentHash, Ready>>

  /// Holds objects of at most `bytes` in all.
  init(bytes: Int, store: any AvatarStoring, preparer: any ReplyPreparing) {
    self.store = store
    self.preparer = preparer
    ready = Mutex(SieveCache(capacity: bytes))
    store.observePurges { [weak self] purge in
      if !purge.soft { self?.empty() }
    }
  }

  /// The reply from memory.
  func hit(_ hash: ContentHash, _ condition: ConditionalRequest, now: UnixTime) -> PreparedReply? {
    guard let ready = ready.withLock({ $0.lookup(hash) }) else { return nil }
    return choose(ready, hash, condition, now)
  }

  /// The reply from disk, in memory from then on; nil where the object is not here.
  func load(_ hash: ContentHash, _ condition: ConditionalRequest, now: UnixTime) async -> PreparedReply? {
    let begun = store.epoch()
    guard let jpeg = await store.object(hash) else { return nil }
    let fresh = Ready(
      whole: preparer.prepare(AvatarReply.object(hash, jpeg, notModified: false)),
      notModified: preparer.prepare(AvatarReply.object(hash, jpeg, notModified: true)))
    let released = ready.withLock { $0.insert(fresh, for: hash, cost: jpeg.count + 4096) }
    _ = released  // Outside the lock: the last release may free the adapter's response.
    if store.epoch() != begun { empty() }  // A purge came in between; see AvatarCache.keepInMemory.
    return choose(fresh, hash, condition, now)
  }

  private func empty() {
    let released = ready.withLock { $0.removeAll { _, _ in true } }
    _ = released
  }

  private func choose(_ ready: Ready, _ hash: ContentHash, _ condition: ConditionalRequest, _ now: UnixTime)
    -> PreparedReply
  {
    condition.isNotModified(etag: "\"\(hash)\"", lastModified: nil, now: now) ? ready.notModified : ready.whole
  }
}
