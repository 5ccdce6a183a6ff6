import AvatarCore
import Synchronization

/// A purge that waits for the disk.
struct DeferredPurge: Hashable, Sendable {
  var purge: Purge
  var at: UnixTime
}

/// What the store's threads and callers share: counters, the purge epoch, marks of use waiting to be written.
final class StoreShared: Sendable {
  private struct State {
    var statistics = StoreStatistics()
    var health = DiskHealth()
    var epoch = PurgeEpoch(0)
    var generation = 0
    var suspectedGeneration: Int?
    var audits = 0
    var deferredPurges: [DeferredPurge] = []
    var observers: [@Sendable (Purge) -> Void] = []
  }

  /// Marks of use since the last flush; bounded, because a mark that is lost costs an object its second chance and no more.
  struct Marks {
    static let capacity = 65_536
    var keys: Set<CacheKey> = []
    var objects: Set<ContentHash> = []
    var pins: [ContentHash: UnixTime] = [:]
  }

  private let state = Mutex(State())
  // A lock of its own: every hit of the memory tier takes it.
  private let marks = Mutex(Marks())

  // MARK: Counters and health

  var statistics: StoreStatistics {
    state.withLock { state in
      var statistics = state.statistics
      statistics.isWritable = state.health.isWritable
      return statistics
    }
  }

  func count(_ change: (inout StoreStatistics) -> Void) { state.withLock { change(&$0.statistics) } }

  var isWritable: Bool { state.withLock { $0.health.isWritable } }
  func mayProbe(at now: Int64) -> Bool { state.withLock { $0.health.mayProbe(at: now) } }
  func noteFault(at now: Int64) -> Bool { state.withLock { $0.health.noteFault(at: now) } }
  func noteSuccess() -> Bool { state.withLock { $0.health.noteSuccess() } }

  // MARK: The index file in use

  /// Grows whenever the writer opened the index anew; readers follow.
  var generation: Int { state.withLock { $0.generation } }
  func advanceGeneration() { state.withLock { $0.generation += 1 } }
  /// A reader found the index of a generation damaged; the writer looks at it at its next turn.
  func suspectIndex(ofGeneration generation: Int) { state.withLock { $0.suspectedGeneration = generation } }
  /// Whether the present index is under suspicion; asked once.
  func takeSuspicion() -> Bool {
    state.withLock { state in
      defer { state.suspectedGeneration = nil }
      return state.suspectedGeneration == state.generation
    }
  }

  /// How often the index and the files were put in question; the auditor goes through all once for each.
  var audits: Int { state.withLock { $0.audits } }
  func requestAudit() { state.withLock { $0.audits += 1 } }

  // MARK: Purges

  var epoch: PurgeEpoch { state.withLock { $0.epoch } }

  /// Moves the epoch on and tells the observers, outside the lock.
  func announce(_ purges: [Purge], through epoch: PurgeEpoch) {
    let observers = state.withLock { state in
      state.epoch = max(state.epoch, epoch)
      return state.observers
    }
    for purge in purges { for observer in observers { observer(purge) } }
  }

  func observe(_ notice: @escaping @Sendable (Purge) -> Void) { state.withLock { $0.observers.append(notice) } }

  /// Keeps a purge that the index would not take; until it does, look-ups hold to it. Too many become one of everything.
  func deferPurge(_ purge: Purge, at time: UnixTime) {
    state.withLock { state in
      if state.deferredPurges.count < 64 {
        state.deferredPurges.append(DeferredPurge(purge: purge, at: time))
      } else {
        let soft = purge.soft && state.deferredPurges.allSatisfy(\.purge.soft)
        state.deferredPurges = [DeferredPurge(purge: Purge(.everything, soft: soft), at: time)]
      }
    }
  }

  var deferredPurges: [DeferredPurge] { state.withLock { $0.deferredPurges } }
  func dropDeferredPurge(_ purge: DeferredPurge) {
    state.withLock { state in
      if let index = state.deferredPurges.firstIndex(of: purge) { state.deferredPurges.remove(at: index) }
    }
  }

  /// The entry as those purges leave it; nil if one took it out.
  func afterDeferredPurges(_ entry: Entry) -> Entry? {
    var entry = entry
    for deferred in deferredPurges where deferred.purge.covers(entry) {
      guard deferred.purge.soft else { return nil }
      entry.staleSince = entry.staleSince ?? deferred.at
    }
    return entry
  }

  /// Whether one of those purges took an object out by its hash, or everything.
  func isHeldBack(_ object: ContentHash) -> Bool {
    deferredPurges.contains { deferred in
      !deferred.purge.soft && (deferred.purge.scope == .object(object) || deferred.purge.scope == .everything)
    }
  }

  // MARK: Marks of use

  func mark(used key: CacheKey) {
    marks.withLock { if $0.keys.count < Marks.capacity { $0.keys.insert(key) } }
  }
  func mark(used object: ContentHash) {
    marks.withLock { if $0.objects.count < Marks.capacity { $0.objects.insert(object) } }
  }
  /// Notes a pin; a later end counts. True for the first one that waits.
  func pin(_ object: ContentHash, until: UnixTime) -> Bool {
    marks.withLock { marks in
      let isFirst = marks.pins.isEmpty
      marks.pins[object] = max(until, marks.pins[object] ?? until)
      return isFirst
    }
  }
  /// The marks of use, which are forgotten here; pins stay.
  func takeUses() -> (keys: Set<CacheKey>, objects: Set<ContentHash>) {
    marks.withLock { marks in
      defer { (marks.keys, marks.objects) = ([], []) }
      return (marks.keys, marks.objects)
    }
  }
  func takePins() -> [ContentHash: UnixTime] {
    marks.withLock { marks in
      defer { marks.pins = [:] }
      return marks.pins
    }
  }
}
