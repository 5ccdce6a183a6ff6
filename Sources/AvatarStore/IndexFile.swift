import CSQLite
import Glibc

/// Opens the index, makes it where it is missing and sets a broken one aside; one process at a time does so.
struct IndexFile: Sendable {
  let paths: StorePaths

  /// Which file a connection has open, so that a file put in its place is noticed.
  struct Identity: Hashable, Sendable {
    var device: UInt
    var inode: UInt
  }

  /// What opening led to.
  struct Opened {
    var connection: SQLiteConnection
    var identity: Identity
    /// A new, empty index: what files there are have to be found again.
    var isNew: Bool
    /// Why the one that was there was set aside; nil if it was not.
    var setAside: String?
  }

  /// The file that bears the index's name now; nil if there is none.
  func identity() throws(StoreFault) -> Identity? {
    guard let status = try FileCalls.status(paths.index), status.isRegular else { return nil }
    return Identity(device: status.device, inode: status.inode)
  }

  /// Opens the index for the one writer. `broken` is the file that a connection found damaged: it is set aside if it is still there.
  func openForWriting(purgesAfter epoch: Int64, broken: Identity? = nil) throws(StoreFault) -> Opened {
    let lock = try takeLock()
    defer { close(lock) }
    var reason: String?
    if let broken, try identity() == broken {
      try setAside()
      reason = "damaged"
    } else if let status = try FileCalls.status(paths.index), !status.isRegular || status.size == 0 {
      // An empty file is what is left of an index that never was written, or was cut to nothing.
      try setAside()
      reason = status.isRegular ? "empty" : "not_a_file"
    }
    do throws(StoreFault) {
      return try open(purgesAfter: epoch, setAside: reason)
    } catch {
      guard error.meansDamagedIndex else { throw error }
      try setAside()
      return try open(purgesAfter: epoch, setAside: error.cause == .index(SQLITE_FORMAT) ? "other_version" : "damaged")
    }
  }

  private func open(purgesAfter epoch: Int64, setAside: String?) throws(StoreFault) -> Opened {
    let isNew = try FileCalls.status(paths.index) == nil
    if isNew {
      // Journals without their database would be replayed into the new one.
      for suffix in ["-wal", "-shm", "-journal"] { try FileCalls.removeTree(paths.index + suffix) }
    }
    let connection = try SQLiteConnection(path: paths.index, access: .writing, cacheKiB: 8192, busyMilliseconds: 2000)
    // NORMAL: the log is synced at checkpoints alone, so that a crash of the machine loses the last moments and never the file.
    try connection.execute(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = 4194304; PRAGMA wal_autocheckpoint = 512"
    )
    if isNew {
      try connection.transaction { () throws(StoreFault) in
        try connection.execute(IndexSchema.statements)
        try connection.execute(
          "PRAGMA application_id = \(IndexSchema.applicationID); PRAGMA user_version = \(IndexSchema.version)")
        // Purge numbers go on growing even where an index was lost.
        try connection.run("INSERT INTO sqlite_sequence VALUES ('purges', ?)", .number(epoch))
      }
    } else {
      let version = try connection.number("PRAGMA user_version")
      let application = try connection.number("PRAGMA application_id")
      guard version == IndexSchema.version, application == IndexSchema.applicationID else {
        throw StoreFault(.index(SQLITE_FORMAT), "read the index's version")
      }
      try connection.execute(IndexSchema.withoutOldIndexes)
    }
    try connection.run("UPDATE objects SET rank = 4 WHERE rank = 5")
    // Proves that the file takes writes, and that the log has something in it.
    try connection.run("UPDATE meta SET value = value + 0 WHERE name = 'hand'")
    guard let identity = try identity() else { throw StoreFault(.index(SQLITE_CANTOPEN), "open the index") }
    return Opened(connection: connection, identity: identity, isNew: isNew, setAside: setAside)
  }

  /// Opens the index for a thread that only looks up; falls back to what a read-only file system allows.
  func openForReading() throws(StoreFault) -> SQLiteConnection {
    var fault: StoreFault?
    for access in [SQLiteConnection.Access.reading, .readOnly, .immutable] {
      do throws(StoreFault) {
        let connection = try SQLiteConnection(path: paths.index, access: access, cacheKiB: 2048, busyMilliseconds: 250)
        guard try connection.number("PRAGMA user_version") == IndexSchema.version,
          try connection.number("SELECT entries FROM totals") != nil
        else { throw StoreFault(.index(SQLITE_CANTOPEN), "read the index's version") }
        return connection
      } catch {
        if error.isPassing { throw error }
        fault = fault ?? error
      }
    }
    throw fault ?? StoreFault(.index(SQLITE_CANTOPEN), "open the index")
  }

  /// Moves the index with its journals to `set-aside`, which holds at most one; what cannot be moved is removed.
  private func setAside() throws(StoreFault) {
    try FileCalls.removeTree(paths.setAside)
    try FileCalls.ensureFolder(paths.setAside) { _ throws(StoreFault) in
      throw StoreFault(.file(ENOTDIR), "make the set-aside folder")
    }
    for suffix in ["", "-wal", "-shm", "-journal"] where try FileCalls.status(paths.index + suffix) != nil {
      do throws(StoreFault) {
        try FileCalls.move(paths.index + suffix, to: paths.setAside + "/index.sqlite3" + suffix)
      } catch {
        try FileCalls.removeTree(paths.index + suffix)
      }
    }
  }

  /// Waits, at most five seconds, for the lock that serializes opening; closing the descriptor lets it go.
  private func takeLock() throws(StoreFault) -> Int32 {
    if let status = try FileCalls.status(paths.indexLock), !status.isRegular {
      try FileCalls.removeTree(paths.indexLock)
    }
    let descriptor = Glibc.open(paths.indexLock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644)
    guard descriptor >= 0 else { throw .errno("open the index lock") }
    let end = MonotonicMilliseconds.now + 5000
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      let fault = StoreFault.errno("take the index lock")
      guard fault.isPassing, MonotonicMilliseconds.now < end else {
        close(descriptor)
        throw fault
      }
      _ = poll(nil, 0, 2)
    }
    return descriptor
  }
}
