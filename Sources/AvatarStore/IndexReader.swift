import AvatarCore
import Glibc

/// Look-ups in the index; holds a connection of its own and opens it again when the index was replaced.
final class IndexReader {
  private static let noConnectionPause: Int64 = 500

  private let file: IndexFile
  private let shared: StoreShared
  private var connection: SQLiteConnection?
  private var generation = -1
  private var nextAttempt: Int64 = 0

  init(file: IndexFile, shared: StoreShared) {
    self.file = file
    self.shared = shared
  }

  /// The entry of a key; nil if there is none.
  func entry(_ key: CacheKey) throws(StoreFault) -> Entry? {
    try withConnection { connection throws(StoreFault) in
      try connection.rows(
        """
        SELECT e.key, o.hash, o.size, g.origin, e.path, e.received, e.age, e.lifetime, e.directives, e.etag, e.modified,
          e.changed, e.stale
        FROM entries e JOIN objects o ON o.id = e.object JOIN origins g ON g.id = e.origin
        WHERE substr(e.key, 1, 6) = substr(?1, 1, 6) AND e.key = ?1 AND o.rank < 3
        """, .blob(key.digest.bytes), read: Self.entry
      ).first ?? nil
    }
  }

  /// How an object stands in the index; nil where it has no row.
  func rank(of hash: ContentHash) throws(StoreFault) -> Int64? {
    try withConnection { connection throws(StoreFault) in
      try connection.number(
        "SELECT rank FROM objects WHERE substr(hash, 1, 6) = substr(?1, 1, 6) AND hash = ?1", .blob(hash.digest.bytes))
    }
  }

  /// At most `limit` entries after the row `after`, with their rows and allocated bytes, in the order of their making.
  func entries(after: Int64, limit: Int) throws(StoreFault) -> [(
    row: Int64, entry: Entry?, host: String, allocated: Int
  )] {
    try withConnection { connection throws(StoreFault) in
      try connection.rows(
        """
        SELECT e.key, o.hash, o.size, g.origin, e.path, e.received, e.age, e.lifetime, e.directives, e.etag, e.modified,
          e.changed, e.stale, e.id, g.host, o.bytes
        FROM entries e JOIN objects o ON o.id = e.object JOIN origins g ON g.id = e.origin
        WHERE e.id > ? ORDER BY e.id LIMIT ?
        """, .number(after), .number(Int64(limit))
      ) { row in
        (row: row.number(13), entry: Self.entry(row), host: row.text(14) ?? "", allocated: Int(row.number(15)))
      }
    }
  }

  /// The objects whose hash begins with `shard`, but for those being written.
  func objects(inShard shard: UInt8) throws(StoreFault) -> Set<ContentHash> {
    try withConnection { connection throws(StoreFault) in
      let read: (SQLiteStatement) -> ContentHash? = { Digest256(bytes: $0.blob(0)).map(ContentHash.init) }
      let found =
        shard == 255
        ? try connection.rows(
          "SELECT hash FROM objects WHERE substr(hash, 1, 6) >= ? AND rank <> 3", .blob([255]), read: read)
        : try connection.rows(
          "SELECT hash FROM objects WHERE substr(hash, 1, 6) >= ? AND substr(hash, 1, 6) < ? AND rank <> 3",
          .blob([shard]), .blob([shard + 1]), read: read)
      return Set(found.compactMap { $0 })
    }
  }

  /// One number out of a query without parameters.
  func number(_ sql: StaticString) throws(StoreFault) -> Int64 {
    try withConnection { connection throws(StoreFault) in try connection.number(sql) ?? 0 }
  }

  /// Rebuilds an entry from a row; nil where the row makes no sense.
  private static func entry(_ row: SQLiteStatement) -> Entry? {
    guard let key = Digest256(bytes: row.blob(0)), let object = Digest256(bytes: row.blob(1)) else { return nil }
    return Entry(
      key: CacheKey(key), source: (row.text(3) ?? "") + (row.text(4) ?? ""), object: ContentHash(object),
      objectBytes: Int(row.number(2)),
      metadata: OriginMetadata(
        receivedAt: UnixTime(milliseconds: row.number(5)), initialAge: row.number(6),
        explicitLifetime: row.optionalNumber(7),
        directives: CacheDirectives(rawValue: UInt8(truncatingIfNeeded: row.number(8))),
        validators: Validators(etag: row.text(9), lastModified: StoredDate.decode(row, 10))),
      changedAt: UnixTime(milliseconds: row.number(11)),
      staleSince: row.optionalNumber(12).map(UnixTime.init(milliseconds:)))
  }

  private func withConnection<Result>(
    _ body: (SQLiteConnection) throws(StoreFault) -> Result
  ) throws(StoreFault) -> Result {
    let current = shared.generation
    if generation != current {
      connection = nil
      generation = current
      nextAttempt = 0
    }
    do throws(StoreFault) {
      let connection = try opened()
      return try body(connection)
    } catch {
      if error.needsReopen { connection = nil }
      if error.meansDamagedIndex { shared.suspectIndex(ofGeneration: generation) }
      throw error
    }
  }

  private func opened() throws(StoreFault) -> SQLiteConnection {
    if let connection { return connection }
    // A disk that does not open is asked twice a second, not at every request.
    let now = MonotonicMilliseconds.now
    guard now >= nextAttempt else { throw StoreFault(.file(ENOENT), "open the index") }
    nextAttempt = now + Self.noConnectionPause
    let made = try file.openForReading()
    nextAttempt = 0
    // A read-only connection is for this look-up alone: SQLite gives all connections of a process one view of the log's shared
    // memory, so that holding one would keep the writer out even after the file system takes writes again.
    if !made.isReadOnly { connection = made }
    return made
  }
}
