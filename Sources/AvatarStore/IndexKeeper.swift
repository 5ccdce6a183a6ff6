import AvatarCore
import Glibc

/// The one writer of a process: keeps the index open, opens it anew when it was lost, damaged or replaced, and notes how the disk is.
///
/// Lives on the thread 'avatar-index'; nothing here is called from elsewhere.
final class IndexKeeper {
  let files: ObjectFiles
  let shared: StoreShared
  let options: DiskStoreOptions
  let file: IndexFile
  var connection: SQLiteConnection?
  var identity: IndexFile.Identity?
  var mark: ProcessMark?
  var lastPurge: PurgeEpoch?
  var unreleased: [ContentHash] = []
  private var hasMissedPurges = false
  var fileNumber = 0
  var chores = ChoreTimes()
  var loggedDamage = 0

  init(options: DiskStoreOptions, shared: StoreShared) {
    self.options = options
    self.shared = shared
    let paths = StorePaths(directory: options.directory)
    files = ObjectFiles(paths: paths, hashing: options.hashing)
    file = IndexFile(paths: paths)
  }

  // MARK: Work that may fail

  /// Runs one piece of work on the open index. Faults are noted: they change the disk's state, and a damaged index is set aside, after which
  /// the work runs once more on the new one.
  func perform<Result>(
    _ body: (IndexKeeper, IndexWrites) throws(StoreFault) -> Result
  ) throws(StoreFault) -> Result {
    if shared.takeSuspicion() { replaceIndex() }
    do throws(StoreFault) {
      return try attempt(body)
    } catch {
      note(error)
      guard error.meansDamagedIndex, connection != nil else { throw error }
    }
    do throws(StoreFault) {
      return try attempt(body)
    } catch {
      note(error)
      throw error
    }
  }

  private func attempt<Result>(
    _ body: (IndexKeeper, IndexWrites) throws(StoreFault) -> Result
  ) throws(StoreFault) -> Result {
    guard let connection else { throw StoreFault(.file(ENODEV), "use the index") }
    return try body(self, writes(connection))
  }

  /// The same in one write transaction.
  func transact<Result>(_ body: (IndexWrites) throws(StoreFault) -> Result) throws(StoreFault) -> Result {
    try perform { _, writes throws(StoreFault) in
      try writes.connection.transaction { () throws(StoreFault) in try body(writes) }
    }
  }

  private func writes(_ connection: SQLiteConnection) -> IndexWrites {
    IndexWrites(connection: connection, files: files, maxBytes: options.maxBytes, now: options.clock.now)
  }

  /// Notes a fault of the index or of a file written for it.
  func note(_ fault: StoreFault) {
    switch fault.cause {
    case .noRoom, .queueFull: return
    case .file(let number) where [EMFILE, ENFILE, ENOMEM, EINTR].contains(number): return
    default: break
    }
    if fault.meansDamagedIndex { return replaceIndex() }
    if fault.needsReopen { closeIndex() }
    // The journal's spare room is the first that a full disk gets back; what is in it goes into the index.
    if fault.reason == "disk_full" { try? connection?.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
    logFault(fault)
  }

  // MARK: Opening

  /// Opens everything, or notes why not; called at the start and by the ticks after a fault.
  func open(replacing broken: IndexFile.Identity? = nil) {
    do throws(StoreFault) {
      try openOnce(replacing: broken)
    } catch {
      // Opened, but what is in it cannot be read: that one is set aside too.
      guard error.meansDamagedIndex, let found = identity else { return noteClosed(error) }
      closeIndex()
      do throws(StoreFault) { try openOnce(replacing: found) } catch { noteClosed(error) }
    }
    guard connection != nil else { return }
    shared.requestAudit()
    buryTheDead()
    finishJob()
  }

  private func openOnce(replacing broken: IndexFile.Identity?) throws(StoreFault) {
    try files.ensureFolders()
    if mark?.isInPlace != true { mark = try ProcessMark(in: files.paths) }
    let opened = try file.openForWriting(purgesAfter: firstPurgeNumber, broken: broken)
    connection = opened.connection
    identity = opened.identity
    shared.advanceGeneration()
    if let reason = opened.setAside {
      options.log.log(.warning, "cache_index_set_aside", [("reason", .text(reason))])
    }
    guard lastPurge == nil else { return }
    let epoch = try PurgeLog(connection: opened.connection).epoch()
    lastPurge = epoch
    // What was purged while we had no index is not known: everything may have been.
    shared.announce(hasMissedPurges ? [Purge(.everything)] : [], through: epoch)
  }

  private func noteClosed(_ fault: StoreFault) {
    closeIndex()
    hasMissedPurges = true
    logFault(fault)
  }

  /// Changes the disk's state; a line for a change, none for a fault more.
  private func logFault(_ fault: StoreFault) {
    guard shared.noteFault(at: MonotonicMilliseconds.now) else { return }
    options.log.log(
      .warning, "cache_unwritable", [("reason", .text(fault.reason)), ("step", .text("\(fault.step)"))])
  }

  /// Where a new index begins to number its purges: later than any purge before, so that numbers go on growing through a loss.
  private var firstPurgeNumber: Int64 {
    max(options.clock.now.milliseconds, lastPurge.map { $0.value + 1 } ?? 0)
  }

  func closeIndex() {
    connection = nil
    identity = nil
  }

  private func replaceIndex() {
    let broken = identity
    closeIndex()
    open(replacing: broken)
  }

  /// The last words: marks and promises written, everything closed.
  func close() {
    if connection != nil {
      flushMarks()
      finishJob()
    }
    closeIndex()
    mark = nil
  }
}
