import AvatarCore

/// A purge on its way through the index, in steps of bounded length, so that other work gets in between.
struct PurgeRun: Sendable {
  /// Rows that one step looks at.
  static let stepRows: Int64 = 1000

  private enum Phase { case entries, objects, done }

  let purge: Purge
  private(set) var result = PurgeResult(entries: 0, objects: 0)
  private var phase = Phase.entries
  private var hasBegun = false
  private var cursor: Int64 = 0
  private var entryCursor: Int64 = 0
  private var end: Int64 = 0

  init(_ purge: Purge) { self.purge = purge }

  /// Whether nothing is left to do.
  var isDone: Bool { phase == .done }

  /// Goes one step on, inside a write transaction.
  ///
  /// The purge is entered into the log at its first step, which stops older flights, and again at its last, because in between another
  /// process may have loaded what was not yet out.
  mutating func step(_ writes: IndexWrites) throws(StoreFault) {
    let isFirst = !hasBegun
    hasBegun = true
    switch (purge.scope, phase) {
    case (.keys(let keys), _): try stepKeys(keys, writes)
    case (.object(let hash), _): try stepObject(hash, writes)
    case (.host(let pattern), _): try stepOrigins(pattern, writes, isFirst: isFirst)
    case (.everything, .objects): try stepObjects(writes)
    case (.everything, _): try stepEntries(writes, isFirst: isFirst)
    }
    if isFirst || isDone { try PurgeLog(connection: writes.connection).append(purge, now: writes.now) }
  }

  private mutating func stepKeys(_ keys: [CacheKey], _ writes: IndexWrites) throws(StoreFault) {
    let upper = min(Int(cursor + Self.stepRows), keys.count)
    for key in keys[Int(cursor)..<upper] {
      if purge.soft {
        result.entries += try writes.connection.run(
          "UPDATE entries SET stale = ifnull(stale, ?2) WHERE substr(key, 1, 6) = substr(?1, 1, 6) AND key = ?1",
          .blob(key.digest.bytes), .number(writes.now.milliseconds))
      } else {
        add(try writes.removeEntry(key))
      }
    }
    cursor = Int64(upper)
    if upper == keys.count { phase = .done }
  }

  private mutating func stepObject(_ hash: ContentHash, _ writes: IndexWrites) throws(StoreFault) {
    phase = .done
    let row = try writes.object(hash)
    if purge.soft {
      guard let row else { return }
      result.entries += try writes.connection.run(
        "UPDATE entries SET stale = ifnull(stale, ?2) WHERE object = ?1", .number(row.id),
        .number(writes.now.milliseconds))
    } else if let row {
      guard row.rank < IndexSchema.Rank.reserved else { return }  // Its writer meets this purge in the log.
      result.entries += try writes.condemn(row.id)
      result.objects += 1
    } else if try FileCalls.status(writes.files.paths.object(hash)) != nil {
      // A file that the index has not found again yet.
      try writes.files.remove(hash)
      result.objects += 1
    }
  }

  private mutating func stepOrigins(
    _ pattern: String, _ writes: IndexWrites, isFirst: Bool
  ) throws(StoreFault) {
    let connection = writes.connection
    if isFirst { end = try connection.number("SELECT max(id) FROM origins") ?? 0 }
    let origins = try connection.rows(
      "SELECT id, host FROM origins WHERE id > ? AND id <= ? ORDER BY id LIMIT ?", .number(cursor), .number(end),
      .number(Self.stepRows)
    ) { (id: $0.number(0), host: $0.text(1) ?? "") }
    for origin in origins {
      // More of an origin than one step takes: it goes on with the same one.
      if SourceParts.host(origin.host, fits: pattern), try !stepOrigin(origin.id, writes) { return }
      cursor = origin.id
      entryCursor = 0
    }
    if origins.count < Self.stepRows { phase = .done }
  }

  /// Takes out or marks a part of an origin's entries; true if none is left.
  private mutating func stepOrigin(_ origin: Int64, _ writes: IndexWrites) throws(StoreFault) -> Bool {
    let found = try writes.connection.rows(
      "SELECT id, object FROM entries WHERE origin = ? AND id > ? ORDER BY id LIMIT ?", .number(origin),
      .number(entryCursor), .number(Self.stepRows)
    ) { (id: $0.number(0), object: $0.number(1)) }
    try apply(to: found, writes)
    entryCursor = found.last?.id ?? entryCursor
    return found.count < Self.stepRows
  }

  private mutating func stepEntries(_ writes: IndexWrites, isFirst: Bool) throws(StoreFault) {
    let connection = writes.connection
    if isFirst {
      end = try connection.number("SELECT max(id) FROM entries") ?? 0
      // What the index has not found again yet shall not come back as an object.
      if !purge.soft { try connection.run("UPDATE meta SET value = 0 WHERE name = 'adopts'") }
    }
    let found = try connection.rows(
      "SELECT id, object FROM entries WHERE id > ? AND id <= ? ORDER BY id LIMIT ?", .number(cursor), .number(end),
      .number(Self.stepRows)
    ) { (id: $0.number(0), object: $0.number(1)) }
    try apply(to: found, writes)
    cursor = found.last?.id ?? end
    guard found.count < Self.stepRows else { return }
    phase = purge.soft ? .done : .objects
    cursor = 0
    end = try connection.number("SELECT max(id) FROM objects") ?? 0
  }

  private mutating func stepObjects(_ writes: IndexWrites) throws(StoreFault) {
    let found = try writes.connection.rows(
      "SELECT id FROM objects WHERE id > ? AND id <= ? AND rank < 3 ORDER BY id LIMIT ?", .number(cursor), .number(end),
      .number(Self.stepRows)
    ) { $0.number(0) }
    for object in found where try writes.condemnUnused(object, evenPinned: true) { result.objects += 1 }
    cursor = found.last ?? end
    if found.count < Self.stepRows { phase = .done }
  }

  private mutating func apply(to entries: [(id: Int64, object: Int64)], _ writes: IndexWrites) throws(StoreFault) {
    for entry in entries {
      if purge.soft {
        result.entries += try writes.connection.run(
          "UPDATE entries SET stale = ifnull(stale, ?2) WHERE id = ?1", .number(entry.id),
          .number(writes.now.milliseconds))
      } else {
        result.entries += try writes.connection.run("DELETE FROM entries WHERE id = ?", .number(entry.id))
        if try writes.condemnUnused(entry.object, evenPinned: true) { result.objects += 1 }
      }
    }
  }

  private mutating func add(_ found: PurgeResult) {
    result.entries += found.entries
    result.objects += found.objects
  }
}
