import AvatarCore

/// Changes of the index, each to be called inside one of its write transactions.
///
/// The order that keeps an index and its files together through any crash: an object's row comes before its file and goes after it;
/// a file is unlinked only while the write lock is held and its row says condemned; an entry comes last and goes first.
struct IndexWrites {
  typealias Rank = IndexSchema.Rank

  let connection: SQLiteConnection
  let files: ObjectFiles
  let maxBytes: Int
  let now: UnixTime

  /// An object's row.
  struct ObjectRow {
    var id: Int64
    var rank: Int64
    var bytes: Int
  }

  /// The totals, and whether an object is condemned.
  struct Standing: Sendable {
    var entries: Int
    var objects: Int
    var bytes: Int
    var hasCondemned: Bool
  }

  /// How a commit ended.
  enum Commit: Sendable {
    case stored
    case purged
    case objectGone
  }

  /// The row of an object; nil if there is none.
  func object(_ hash: ContentHash) throws(StoreFault) -> ObjectRow? {
    try connection.rows(
      "SELECT id, rank, bytes FROM objects WHERE substr(hash, 1, 6) = substr(?1, 1, 6) AND hash = ?1",
      .blob(hash.digest.bytes)
    ) { ObjectRow(id: $0.number(0), rank: $0.number(1), bytes: Int($0.number(2))) }.first
  }

  /// Adds an object's row at the young end; returns its id.
  func addObject(_ hash: ContentHash, size: Int, bytes: Int, rank: Int64) throws(StoreFault) -> Int64 {
    try connection.run(
      "INSERT INTO objects (hash, size, bytes, rank) VALUES (?, ?, ?, ?)", .blob(hash.digest.bytes),
      .number(Int64(size)),
      .number(Int64(bytes)), .number(rank))
    return connection.lastInsertedRow
  }

  /// Keeps an entry, unless a purge that covers it came after `begun`. `allocated` is what the file system gave its new object; nil for one
  /// that was there before.
  func commit(_ entry: Entry, owner: String?, allocated: Int?, begun: PurgeEpoch) throws(StoreFault) -> Commit {
    if try PurgeLog(connection: connection).covers(entry, since: begun) {
      if let owner { try release(entry.object, owner: owner) }
      return .purged
    }
    guard let row = try object(entry.object), row.rank < Rank.condemned else { return .objectGone }
    if row.rank == Rank.reserved {
      guard let allocated else { return .objectGone }
      if allocated != row.bytes {
        try connection.run("UPDATE objects SET bytes = ? WHERE id = ?", .number(Int64(allocated)), .number(row.id))
      }
      try connection.run("UPDATE objects SET rank = ? WHERE id = ?", .number(Rank.unvisited), .number(row.id))
    }
    // The object has its file now, so it stays even where no reservation is left.
    if let owner { try dropReservation(row.id, owner: owner) }
    try put(entry, object: row.id)
    return .stored
  }

  private func dropReservation(_ object: Int64, owner: String) throws(StoreFault) {
    try connection.run(
      "DELETE FROM reservations WHERE rowid = (SELECT rowid FROM reservations WHERE object = ? AND owner = ? LIMIT 1)",
      .number(object), .text(owner))
  }

  /// What the index holds, and whether anything is left to unlink.
  func standing() throws(StoreFault) -> Standing? {
    try connection.rows(
      "SELECT entries, objects, bytes, EXISTS (SELECT 1 FROM objects WHERE rank = 4) FROM totals WHERE id = 1"
    ) {
      Standing(
        entries: Int($0.number(0)), objects: Int($0.number(1)), bytes: Int($0.number(2)),
        hasCondemned: $0.number(3) != 0)
    }.first
  }

  /// Gives a reservation back; the object goes if nobody else writes it and it never came to be.
  func release(_ hash: ContentHash, owner: String) throws(StoreFault) {
    guard let row = try object(hash) else { return }
    try dropReservation(row.id, owner: owner)
    try condemnUnreserved(row.id)
  }

  /// Gives all reservations of a process that is dead back; returns how many.
  @discardableResult
  func releaseAll(owner: String) throws(StoreFault) -> Int {
    let objects = try connection.rows("SELECT object FROM reservations WHERE owner = ?", .text(owner)) { $0.number(0) }
    try connection.run("DELETE FROM reservations WHERE owner = ?", .text(owner))
    for object in objects { try condemnUnreserved(object) }
    return objects.count
  }

  private func condemnUnreserved(_ object: Int64) throws(StoreFault) {
    try connection.run(
      """
      UPDATE objects SET rank = 4 WHERE id = ?1 AND rank = 3
        AND NOT EXISTS (SELECT 1 FROM reservations WHERE object = ?1)
      """, .number(object))
  }

  private func put(_ entry: Entry, object: Int64) throws(StoreFault) {
    let old = try connection.rows(
      """
      SELECT id, object, changed FROM entries WHERE substr(key, 1, 6) = substr(?1, 1, 6) AND key = ?1
      """, .blob(entry.key.digest.bytes)
    ) { (id: $0.number(0), object: $0.number(1), changed: $0.number(2)) }.first
    let source = SourceParts(entry.source)
    let origin = try origin(source)
    // The same bytes have not changed, whoever fetched them again; and the time of a change never goes back.
    let changed = old.map { $0.object == object ? $0.changed : max($0.changed, entry.changedAt.milliseconds) }
    let metadata = entry.metadata
    let values: [SQLiteValue] = [
      .number(object), .number(origin), .text(source.path), .number(metadata.receivedAt.milliseconds),
      .number(metadata.initialAge), .optional(metadata.explicitLifetime), .number(Int64(metadata.directives.rawValue)),
      .optional(metadata.validators.etag), StoredDate.encode(metadata.validators.lastModified),
      .number(changed ?? entry.changedAt.milliseconds), .optional(entry.staleSince?.milliseconds),
    ]
    guard let old else {
      try connection.run(
        """
        INSERT INTO entries
          (object, origin, path, received, age, lifetime, directives, etag, modified, changed, stale, key)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """, values + [.blob(entry.key.digest.bytes)])
      return
    }
    try connection.run(
      """
      UPDATE entries SET object = ?, origin = ?, path = ?, received = ?, age = ?, lifetime = ?, directives = ?, etag = ?,
        modified = ?, changed = ?, stale = ? WHERE id = ?
      """, values + [.number(old.id)])
    if old.object != object { try condemnUnused(old.object, evenPinned: false) }
  }

  private func origin(_ source: SourceParts) throws(StoreFault) -> Int64 {
    if let id = try connection.number("SELECT id FROM origins WHERE origin = ?", .text(source.origin)) { return id }
    try connection.run("INSERT INTO origins (origin, host) VALUES (?, ?)", .text(source.origin), .text(source.host))
    return connection.lastInsertedRow
  }

  // MARK: Taking out

  /// Drops a key's entry, and condemns its object with its last one.
  func removeEntry(_ key: CacheKey) throws(StoreFault) -> PurgeResult {
    let found = try connection.rows(
      "SELECT id, object FROM entries WHERE substr(key, 1, 6) = substr(?1, 1, 6) AND key = ?1", .blob(key.digest.bytes)
    ) { (id: $0.number(0), object: $0.number(1)) }
    var result = PurgeResult(entries: 0, objects: 0)
    for entry in found {
      result.entries += try connection.run("DELETE FROM entries WHERE id = ?", .number(entry.id))
      if try condemnUnused(entry.object, evenPinned: true) { result.objects += 1 }
    }
    return result
  }

  /// Condemns an object that no entry names any more; a pinned one only if `evenPinned`. True if it was condemned.
  @discardableResult
  func condemnUnused(_ object: Int64, evenPinned: Bool) throws(StoreFault) -> Bool {
    let highest = evenPinned ? Rank.pinned : Rank.visited
    return try connection.run(
      "UPDATE objects SET rank = 4 WHERE id = ?1 AND rank <= ?2 AND NOT EXISTS (SELECT 1 FROM entries WHERE object = ?1)",
      .number(object), .number(highest)) > 0
  }

  /// Condemns an object with all its entries; returns how many those were.
  func condemn(_ object: Int64) throws(StoreFault) -> Int {
    let entries = try connection.run("DELETE FROM entries WHERE object = ?", .number(object))
    try connection.run("UPDATE objects SET rank = 4 WHERE id = ?", .number(object))
    return entries
  }

  /// Unlinks at most `limit` condemned objects and drops their rows; returns how many.
  func sweepCondemned(limit: Int) throws(StoreFault) -> Int {
    let condemned = try connection.rows(
      "SELECT id, hash FROM objects WHERE rank = 4 LIMIT ?", .number(Int64(limit))
    ) { (id: $0.number(0), hash: Digest256(bytes: $0.blob(1)).map(ContentHash.init)) }
    for object in condemned {
      do throws(StoreFault) {
        if let hash = object.hash { try files.remove(hash) }
      } catch {
        // One immutable or mounted file shall not take the whole cache for unwritable, nor be waited for.
        guard let hash = object.hash, files.isStuck(hash, error) else { throw error }
        try connection.run("UPDATE objects SET rank = 5 WHERE id = ?", .number(object.id))
        continue
      }
      try connection.run("DELETE FROM objects WHERE id = ?", .number(object.id))
    }
    return condemned.count
  }
}
