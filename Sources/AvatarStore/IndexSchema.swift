/// The index's tables. Another version in the file means another layout: it is set aside and the cache starts empty.
///
/// Tables have plain row ids rather than their 32-byte keys as primary key: a tree with random keys is two thirds full, one that grows at
/// its end nearly whole. Look-ups go through indexes on six bytes of a hash, a quarter of the size of indexes on all of it; a query
/// compares the whole hash after that. An entry holds its URL as an origin, shared by many, and a path.
enum IndexSchema {
  /// `PRAGMA user_version`.
  static let version: Int64 = 1
  /// `PRAGMA application_id`: "AVTR".
  static let applicationID: Int64 = 0x4156_5452

  /// How an object stands; the column `rank`, in the order in which eviction looks.
  enum Rank {
    /// On disk, not used since eviction last passed it.
    static let unvisited: Int64 = 0
    /// On disk and used since.
    static let visited: Int64 = 1
    /// On disk and promised for a while.
    static let pinned: Int64 = 2
    /// Space that a process took for what it is writing.
    static let reserved: Int64 = 3
    /// Without entries, to be unlinked; its space counts until then.
    static let condemned: Int64 = 4
    /// Condemned, but its file does not let itself be unlinked although its folder is ours; tried again at the next start.
    static let stuck: Int64 = 5
  }

  /// Indexes that earlier versions made. A process has a reservation or two at a time: to look through all is quicker than to keep two pages more in
  /// order, which each new object had written twice.
  static let withoutOldIndexes =
    "DROP INDEX IF EXISTS reservation_by_object; DROP INDEX IF EXISTS reservation_by_owner"

  /// Makes everything; run in one transaction on an empty file.
  static let statements = """
    CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE origins (id INTEGER PRIMARY KEY, origin TEXT NOT NULL UNIQUE, host TEXT NOT NULL);
    CREATE TABLE objects (
      id INTEGER PRIMARY KEY, hash BLOB NOT NULL, size INTEGER NOT NULL, bytes INTEGER NOT NULL, rank INTEGER NOT NULL);
    CREATE INDEX object_by_hash ON objects (substr(hash, 1, 6));
    CREATE INDEX object_by_rank ON objects (rank);
    CREATE TABLE entries (
      id INTEGER PRIMARY KEY, key BLOB NOT NULL, object INTEGER NOT NULL, origin INTEGER NOT NULL, path TEXT NOT NULL,
      received INTEGER NOT NULL, age INTEGER NOT NULL, lifetime INTEGER, directives INTEGER NOT NULL,
      etag TEXT, modified, changed INTEGER NOT NULL, stale INTEGER);
    CREATE INDEX entry_by_key ON entries (substr(key, 1, 6));
    CREATE INDEX entry_by_object ON entries (object);
    CREATE INDEX entry_by_origin ON entries (origin);
    CREATE TABLE pins (object INTEGER PRIMARY KEY, until INTEGER NOT NULL);
    CREATE INDEX pin_by_end ON pins (until);
    CREATE TABLE reservations (object INTEGER NOT NULL, owner TEXT NOT NULL);
    CREATE TABLE purges (
      id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, scope INTEGER NOT NULL, soft INTEGER NOT NULL,
      subject BLOB NOT NULL);
    CREATE TABLE totals (id INTEGER PRIMARY KEY, entries INTEGER NOT NULL, objects INTEGER NOT NULL, bytes INTEGER NOT NULL);
    INSERT INTO totals VALUES (1, 0, 0, 0);
    INSERT INTO meta VALUES ('hand', 0), ('pruned', 0), ('adopts', 1);
    CREATE TRIGGER object_added AFTER INSERT ON objects BEGIN
      UPDATE totals SET objects = objects + 1, bytes = bytes + new.bytes;
    END;
    CREATE TRIGGER object_resized AFTER UPDATE OF bytes ON objects BEGIN
      UPDATE totals SET bytes = bytes + new.bytes - old.bytes;
    END;
    CREATE TRIGGER object_dropped AFTER DELETE ON objects BEGIN
      UPDATE totals SET objects = objects - 1, bytes = bytes - old.bytes;
      DELETE FROM pins WHERE object = old.id;
      DELETE FROM reservations WHERE object = old.id;
    END;
    CREATE TRIGGER entry_added AFTER INSERT ON entries BEGIN
      UPDATE totals SET entries = entries + 1;
    END;
    CREATE TRIGGER entry_moved AFTER UPDATE OF origin ON entries WHEN new.origin <> old.origin BEGIN
      DELETE FROM origins WHERE id = old.origin AND NOT EXISTS (SELECT 1 FROM entries WHERE origin = old.origin);
    END;
    CREATE TRIGGER entry_dropped AFTER DELETE ON entries BEGIN
      UPDATE totals SET entries = entries - 1;
      DELETE FROM origins WHERE id = old.origin AND NOT EXISTS (SELECT 1 FROM entries WHERE origin = old.origin);
    END;
    """
}
