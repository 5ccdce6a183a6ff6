import AvatarCore
import Glibc

/// When each chore was last done, in monotonic milliseconds.
struct ChoreTimes {
  var marks: Int64 = 0
  var sweeps: Int64 = 0
  var prunes: Int64 = 0

  /// Whether a chore's time has come again; if so it is taken as done.
  mutating func isDue(_ chore: WritableKeyPath<Self, Int64>, every interval: Int64, now: Int64) -> Bool {
    guard now - self[keyPath: chore] >= interval else { return false }
    self[keyPath: chore] = now
    return true
  }
}

/// What has to be done from time to time, besides what is asked for.
extension IndexKeeper {
  /// About twice a second, and after it is due: whatever keeps an index well.
  func tick() {
    let now = MonotonicMilliseconds.now
    probe(now)
    guard connection != nil else { return }
    notePurges()
    if chores.isDue(\.marks, every: 1000, now: now) { flushMarks() }
    if chores.isDue(\.sweeps, every: 5000, now: now) { buryTheDead() }
    if chores.isDue(\.prunes, every: 60_000, now: now) {
      doChore { writes throws(StoreFault) in try PurgeLog(connection: writes.connection).prune(now: writes.now) }
    }
    if shared.isWritable { runDeferredPurges() }
    trim()
    finishJob()
    logDamage()
  }

  /// Runs a chore in a transaction; a fault is noted like any other and the chore comes round again.
  private func doChore(_ body: (IndexWrites) throws(StoreFault) -> Void) {
    guard shared.isWritable else { return }
    do throws(StoreFault) { try transact(body) } catch { shared.count { $0.failures += 1 } }
  }

  /// Notices a directory that vanished or was replaced, and tries a disk that failed once its pause is over.
  private func probe(_ now: Int64) {
    if connection != nil {
      let found = (try? file.identity()) ?? nil
      if found != identity || mark?.isInPlace != true {
        options.log.log(.warning, "cache_index_replaced", [])
        closeIndex()
        open()
      }
    }
    guard shared.mayProbe(at: now) else { return }
    if connection == nil { open() }
    guard connection != nil else { return }
    do throws(StoreFault) {
      try probeFile()
      _ = try transact { writes throws(StoreFault) in
        try writes.connection.run("UPDATE meta SET value = value + 0 WHERE name = 'hand'")
      }
    } catch {
      note(error)
      return
    }
    if shared.noteSuccess() { options.log.log(.info, "cache_writable", []) }
    runDeferredPurges()
    releaseLeftReservations()
  }

  /// Writes and removes a file as large as a large avatar.
  private func probeFile() throws(StoreFault) {
    guard let path = newTemporaryPath() else { throw StoreFault(.file(ENODEV), "probe the disk") }
    _ = try FileCalls.write([UInt8](repeating: 0x41, count: 65_536), to: path)
    try FileCalls.remove(path)
  }

  /// A name in `incoming` that no other process uses; nil before the directory is open.
  func newTemporaryPath() -> String? {
    guard let mark else { return nil }
    fileNumber += 1
    return "\(files.paths.incoming)/\(mark.token)-\(fileNumber).jpg"
  }

  /// Tells the observers of purges by any process.
  func notePurges() {
    guard let last = lastPurge else { return }
    do throws(StoreFault) {
      let (purges, epoch) = try perform { _, writes throws(StoreFault) -> ([Purge], PurgeEpoch) in
        let log = PurgeLog(connection: writes.connection)
        let epoch = try log.epoch()
        return epoch > last ? (try log.purges(after: last), epoch) : ([], last)
      }
      guard epoch > last else { return }
      lastPurge = epoch
      shared.announce(purges, through: epoch)
    } catch {
      shared.count { $0.failures += 1 }
    }
  }

  /// Writes the marks of use and the promises down.
  func flushMarks() {
    flushPins()
    guard shared.isWritable, connection != nil else { return }
    let marks = shared.takeUses()
    var keys = marks.keys[...]
    var objects = marks.objects[...]
    while !keys.isEmpty || !objects.isEmpty {
      let (someKeys, someObjects) = (keys.prefix(2048), objects.prefix(2048))
      doChore { writes throws(StoreFault) in try writes.markUsed(keys: someKeys, objects: someObjects) }
      keys = keys.dropFirst(2048)
      objects = objects.dropFirst(2048)
    }
    doChore { writes throws(StoreFault) in try writes.endPins(limit: 500) }
  }

  /// Writes the promises down; before any eviction too.
  func flushPins() {
    guard shared.isWritable, connection != nil else { return }
    let pins = shared.takePins()
    guard !pins.isEmpty else { return }
    do throws(StoreFault) {
      try transact { writes throws(StoreFault) in
        for (hash, until) in pins { try writes.pin(hash, until: until) }
      }
    } catch {
      for (hash, until) in pins { _ = shared.pin(hash, until: until) }
    }
  }

  /// Evicts down to the limit where it was lowered, or where objects turned out larger than they were taken for.
  private func trim() {
    guard shared.statistics.bytes > options.maxBytes else { return }
    var evicted = 0
    doChore { writes throws(StoreFault) in
      evicted = try writes.evict(bytes: try writes.usedBytes() - writes.maxBytes, atMost: 256)
    }
    shared.count { $0.evictions += evicted }
  }

  /// Unlinks what was condemned, for a tenth of a second at most, and brings the counters up to date. `known` is how the index stands if the job's
  /// transaction has looked already: a look of its own costs as much as the locks of a transaction.
  func finishJob(_ known: IndexWrites.Standing? = nil) {
    let end = MonotonicMilliseconds.now + 100
    do throws(StoreFault) {
      var standing = known
      if standing == nil { standing = try look() }
      while standing?.hasCondemned == true, shared.isWritable, MonotonicMilliseconds.now < end, try sweep() > 0 {
        standing = try look()
      }
      guard let standing else { return }
      shared.count { ($0.entries, $0.objects, $0.bytes) = (standing.entries, standing.objects, standing.bytes) }
    } catch {
      note(error)
    }
  }

  private func look() throws(StoreFault) -> IndexWrites.Standing? {
    try perform { _, writes throws(StoreFault) in try writes.standing() }
  }

  /// One transaction's worth of unlinking.
  func sweep() throws(StoreFault) -> Int {
    try transact { writes throws(StoreFault) in try writes.sweepCondemned(limit: 256) }
  }

  /// Removes what processes that ended were writing, and gives back the room they took.
  func buryTheDead() {
    guard shared.isWritable else { return }
    do throws(StoreFault) {
      let paths = files.paths
      try ProcessMark.sweep(paths) { token throws(StoreFault) in
        for name in try FileCalls.names(in: paths.incoming) where name.hasPrefix(token + "-") {
          try FileCalls.remove(paths.incoming + "/" + name)
        }
        _ = try transact { writes throws(StoreFault) in try writes.releaseAll(owner: token) }
      }
      try removeOwnerless()
    } catch {
      note(error)
    }
  }

  /// Temporary files and reservations whose process has no mark at all, as after a directory was emptied or an index restored.
  private func removeOwnerless() throws(StoreFault) {
    // Names before marks: a process makes its mark before its first file.
    let names = try FileCalls.names(in: files.paths.incoming)
    let owners = try perform { _, writes throws(StoreFault) in
      try writes.connection.rows("SELECT DISTINCT owner FROM reservations") { $0.text(0) ?? "" }
    }
    let living = try ProcessMark.tokens(files.paths)
    for name in names where Self.isTemporary(name) && !living.contains(String(name.prefix(16))) {
      try FileCalls.remove(files.paths.incoming + "/" + name)
    }
    for owner in owners where !living.contains(owner) {
      _ = try transact { writes throws(StoreFault) in try writes.releaseAll(owner: owner) }
    }
  }

  /// Whether a file in `incoming` has a name of our making: a token, a number. Other files there are foreign.
  private static func isTemporary(_ name: String) -> Bool {
    let bytes = Array(name.utf8)
    let isHex = bytes.prefix(16).allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    return bytes.count > 21 && isHex && bytes[16] == UInt8(ascii: "-") && name.hasSuffix(".jpg")
  }

  private func logDamage() {
    let damaged = shared.statistics.damaged
    guard damaged > loggedDamage else { return }
    loggedDamage = damaged
    options.log.log(.warning, "cache_objects_damaged", [("total", .number(Int64(damaged)))])
  }
}
