import CSQLite

/// The one owner of an open database: statements are prepared once, kept, and finalized before the handle is closed.
///
/// Not `Sendable`: made, used and dropped on one thread.
final class SQLiteConnection {
  /// How to open.
  enum Access: Hashable {
    /// Read and write; the file is made if it is missing.
    case writing
    /// Read and write an existing file (readers in WAL mode need the shared memory, which is written).
    case reading
    /// Read an existing file where nothing can be written; the write-ahead log is read if it is there.
    case readOnly
    /// Read a file that nobody changes, without its write-ahead log; the last resort on a read-only file system.
    case immutable
  }

  private let handle: OpaquePointer
  /// By the place of their text in the program: a look-up is too short to hash four hundred bytes.
  private var statements: [UnsafePointer<UInt8>: SQLiteStatement] = [:]

  /// Whether nothing can be written through it.
  var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

  /// Opens the file at `path`. `cacheKiB` bounds the page cache; `busyMilliseconds` how long a lock is waited for.
  init(path: String, access: Access, cacheKiB: Int, busyMilliseconds: Int32) throws(StoreFault) {
    var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    var name = path
    switch access {
    case .writing: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    case .reading: flags |= SQLITE_OPEN_READWRITE
    case .readOnly: flags |= SQLITE_OPEN_READONLY
    case .immutable:
      flags |= SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
      name = "file:" + Self.percentEncoded(path) + "?immutable=1"
    }
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(name, &opened, flags, nil)
    guard code == SQLITE_OK, let opened else {
      sqlite3_close_v2(opened)
      throw StoreFault(.index(code == SQLITE_OK ? SQLITE_NOMEM : code), "open the index")
    }
    handle = opened
    sqlite3_busy_timeout(handle, busyMilliseconds)
    // No memory mapping: a file cut by somebody else would end the process with SIGBUS. A fault here runs deinit, which closes.
    try execute("PRAGMA mmap_size = 0; PRAGMA cache_size = -\(cacheKiB); PRAGMA temp_store = MEMORY")
  }

  deinit {
    for statement in statements.values { statement.finalize() }
    sqlite3_close_v2(handle)
  }

  /// Runs SQL without parameters and drops its rows.
  func execute(_ sql: String) throws(StoreFault) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw StoreFault(.index(code), "execute") }
  }

  /// The kept statement for `sql`, reset, its parameters bound in order.
  private func prepare(_ sql: StaticString, _ values: [SQLiteValue]) throws(StoreFault) -> SQLiteStatement {
    let statement: SQLiteStatement
    if let kept = statements[sql.utf8Start] {
      statement = kept
    } else {
      var prepared: OpaquePointer?
      let code = sqlite3_prepare_v3(handle, sql.description, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
      guard code == SQLITE_OK, let prepared else {
        // Our own SQL is valid: where it does not compile, the schema in the file is not the one we wrote.
        throw StoreFault(.index(code == SQLITE_ERROR ? SQLITE_CORRUPT : code), "prepare a statement")
      }
      statement = SQLiteStatement(prepared)
      statements[sql.utf8Start] = statement
    }
    try statement.bind(values)
    return statement
  }

  /// Runs a statement that gives no rows; returns how many rows it changed (for INSERT, UPDATE and DELETE alone).
  @discardableResult
  func run(_ sql: StaticString, _ values: SQLiteValue...) throws(StoreFault) -> Int { try run(sql, values) }

  /// The same with a list.
  @discardableResult
  func run(_ sql: StaticString, _ values: [SQLiteValue]) throws(StoreFault) -> Int {
    let statement = try prepare(sql, values)
    defer { statement.reset() }
    while try statement.step() {}
    return Int(sqlite3_changes64(handle))
  }

  /// The first column of the first row; nil without a row or where it is NULL.
  func number(_ sql: StaticString, _ values: SQLiteValue...) throws(StoreFault) -> Int64? {
    let statement = try prepare(sql, values)
    defer { statement.reset() }
    return try statement.step() ? statement.optionalNumber(0) : nil
  }

  /// Each row of a query, read by `read`.
  func rows<Row>(
    _ sql: StaticString, _ values: SQLiteValue..., read: (SQLiteStatement) -> Row
  ) throws(StoreFault) -> [Row] {
    let statement = try prepare(sql, values)
    defer { statement.reset() }
    var rows: [Row] = []
    while try statement.step() { rows.append(read(statement)) }
    return rows
  }

  /// Runs `body` in one immediate transaction; any error rolls all of it back.
  func transaction<Result>(_ body: () throws(StoreFault) -> Result) throws(StoreFault) -> Result {
    try run("BEGIN IMMEDIATE")
    do throws(StoreFault) {
      let result = try body()
      try run("COMMIT")
      return result
    } catch {
      // SQLite has rolled back by itself after some faults; a second ROLLBACK would only report that.
      if sqlite3_get_autocommit(handle) == 0 { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
      throw error
    }
  }

  /// The row id of the last insert.
  var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

  /// The bytes of a path that mean something in a URI, percent-encoded.
  private static func percentEncoded(_ path: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var text: [UInt8] = []
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "%"), UInt8(ascii: "?"), UInt8(ascii: "#"):
        text += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      default: text.append(byte)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
