import AvatarCore

@testable import AvatarStore

/// The plainest store that keeps the promises: dictionaries, whole scans, nothing on disk. The real one has to agree with it.
struct StoreModel {
  struct Object: Hashable {
    var id: Int
    var allocated: Int
    var isMarked = false
    var pinnedUntil: UnixTime?
  }

  let maxBytes: Int
  var entries: [CacheKey: Entry] = [:]
  var objects: [ContentHash: Object] = [:]
  var hand = 0

  init(maxBytes: Int) { self.maxBytes = maxBytes }

  var usedBytes: Int { objects.values.reduce(0) { $0 + $1.allocated } }

  mutating func store(_ entry: Entry, bytes: Int?, isCovered: Bool) -> StoreOutcome {
    var added = false
    if let bytes, objects[entry.object] == nil {
      let allocated = (bytes + 4095) / 4096 * 4096
      guard allocated <= maxBytes else { return .failed }
      while usedBytes + allocated > maxBytes { guard evictOne() else { return .failed } }
      objects[entry.object] = Object(id: (objects.values.map(\.id).max() ?? 0) + 1, allocated: allocated)
      added = true
    }
    if isCovered {
      if added { objects[entry.object] = nil }
      return .purged
    }
    guard objects[entry.object] != nil else { return .failed }
    var kept = entry
    if let old = entries[entry.key] {
      kept.changedAt = old.object == entry.object ? old.changedAt : max(old.changedAt, entry.changedAt)
    }
    let old = entries.updateValue(kept, forKey: entry.key)
    if let old, objects[old.object]?.pinnedUntil == nil { dropUnused(old.object) }
    return .stored
  }

  mutating func remove(_ key: CacheKey) -> Bool {
    guard let entry = entries.removeValue(forKey: key) else { return false }
    dropUnused(entry.object)
    return true
  }

  /// The object and its entries are gone.
  mutating func lose(_ hash: ContentHash) {
    objects[hash] = nil
    entries = entries.filter { $0.value.object != hash }
  }

  mutating func mark(_ hash: ContentHash) {
    if objects[hash]?.pinnedUntil == nil { objects[hash]?.isMarked = true }
  }

  mutating func pin(_ hash: ContentHash, until: UnixTime, now: UnixTime) {
    guard until > now, let object = objects[hash] else { return }
    objects[hash]?.pinnedUntil = max(until, object.pinnedUntil ?? until)
  }

  mutating func endPins(now: UnixTime) {
    for (hash, object) in objects {
      guard let until = object.pinnedUntil, until <= now else { continue }
      objects[hash]?.pinnedUntil = nil
      objects[hash]?.isMarked = false
      dropUnused(hash)
    }
  }

  mutating func purge(_ purge: Purge, now: UnixTime) -> PurgeResult {
    let before = objects.count
    let covered = entries.values.filter(purge.covers)
    for entry in covered {
      if purge.soft { entries[entry.key]?.staleSince = entry.staleSince ?? now } else { _ = remove(entry.key) }
    }
    if !purge.soft {
      if case .object(let hash) = purge.scope { objects[hash] = nil }
      if purge.scope == .everything { objects = [:] }
    }
    return PurgeResult(entries: covered.count, objects: before - objects.count)
  }

  private mutating func dropUnused(_ hash: ContentHash) {
    if !entries.values.contains(where: { $0.object == hash }) { objects[hash] = nil }
  }

  /// SIEVE as its paper has it: from old to young, a mark buys one more round.
  private mutating func evictOne() -> Bool {
    for _ in 0..<3 {
      let ahead = objects.filter { $0.value.id > hand && $0.value.pinnedUntil == nil }.sorted {
        $0.value.id < $1.value.id
      }
      for (hash, object) in ahead {
        guard object.isMarked else {
          hand = object.id
          lose(hash)
          return true
        }
        objects[hash]?.isMarked = false
      }
      hand = 0
    }
    let pinned = objects.min { left, right in
      (left.value.pinnedUntil?.milliseconds ?? .max, left.value.id) < (
        right.value.pinnedUntil?.milliseconds ?? .max, right.value.id
      )
    }
    guard let pinned else { return false }
    lose(pinned.key)
    return true
  }
}
