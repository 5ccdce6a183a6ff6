import AvatarCore

/// The purges of the last hour, numbered, so that every process on the directory sees each and no older flight stores past one.
struct PurgeLog {
  let connection: SQLiteConnection

  /// How long a purge is remembered; a flight that is older than that stores nothing.
  static let retention = Duration.seconds(3600)

  /// The number of the last purge ever.
  func epoch() throws(StoreFault) -> PurgeEpoch {
    PurgeEpoch(try connection.number("SELECT seq FROM sqlite_sequence WHERE name = 'purges'") ?? 0)
  }

  /// Numbers and keeps a purge; inside a write transaction.
  func append(_ purge: Purge, now: UnixTime) throws(StoreFault) {
    let (scope, subject) = Self.encode(purge.scope)
    try connection.run(
      "INSERT INTO purges (at, scope, soft, subject) VALUES (?, ?, ?, ?)", .number(now.milliseconds), .number(scope),
      .number(purge.soft ? 1 : 0), .blob(subject))
  }

  /// Those after `epoch`, in order. One of everything stands for what is no longer known.
  func purges(after epoch: PurgeEpoch) throws(StoreFault) -> [Purge] {
    if try pruned() > epoch { return [Purge(.everything)] }
    return try connection.rows(
      "SELECT scope, soft, subject FROM purges WHERE id > ? ORDER BY id", .number(epoch.value)
    ) { row in
      Purge(Self.decode(row.number(0), row.blob(2)), soft: row.number(1) != 0)
    }
  }

  /// Whether a purge after `epoch` covers the entry.
  func covers(_ entry: Entry, since epoch: PurgeEpoch) throws(StoreFault) -> Bool {
    guard try self.epoch() > epoch else { return false }
    return try purges(after: epoch).contains { $0.covers(entry) }
  }

  /// Forgets what is older than the retention; inside a write transaction.
  func prune(now: UnixTime) throws(StoreFault) {
    let end = now.milliseconds - Self.retention.milliseconds
    guard let last = try connection.number("SELECT max(id) FROM purges WHERE at < ?", .number(end)) else { return }
    try connection.run("DELETE FROM purges WHERE id <= ?", .number(last))
    try connection.run("UPDATE meta SET value = ? WHERE name = 'pruned'", .number(last))
  }

  private func pruned() throws(StoreFault) -> PurgeEpoch {
    PurgeEpoch(try connection.number("SELECT value FROM meta WHERE name = 'pruned'") ?? 0)
  }

  private static func encode(_ scope: Purge.Scope) -> (Int64, [UInt8]) {
    switch scope {
    case .keys(let keys): (1, keys.flatMap(\.digest.bytes))
    case .object(let hash): (2, hash.digest.bytes)
    case .host(let pattern): (3, Array(pattern.utf8))
    case .everything: (4, [])
    }
  }

  /// A row that makes no sense stands for everything: too much is purged rather than too little.
  private static func decode(_ scope: Int64, _ subject: [UInt8]) -> Purge.Scope {
    switch scope {
    case 1:
      return .keys(
        stride(from: 0, to: subject.count, by: 32).compactMap { start in
          Digest256(bytes: subject[start..<min(start + 32, subject.count)]).map(CacheKey.init)
        })
    case 2: return Digest256(bytes: subject).map { .object(ContentHash($0)) } ?? .everything
    case 3: return .host(String(decoding: subject, as: UTF8.self))
    default: return .everything
    }
  }
}

extension Purge {
  /// Whether the purge takes this entry out.
  func covers(_ entry: Entry) -> Bool {
    switch scope {
    case .keys(let keys): keys.contains(entry.key)
    case .object(let hash): hash == entry.object
    case .host(let pattern): SourceParts.host(SourceParts(entry.source).host, fits: pattern)
    case .everything: true
    }
  }
}
