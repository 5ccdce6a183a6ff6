import AvatarCore

/// Room for what is to be written: SIEVE over the objects, in the index, so that it holds for all processes and through restarts.
///
/// SIEVE (NSDI '24): objects stand in the order of their making; a hand moves from old to young, takes the mark of use from those that have
/// one and evicts the first that has none. A hit only sets the mark. One-time visitors leave quickly, so a scan does not flush what is used.
extension IndexWrites {
  /// How many marked objects the hand passes before it takes the next one regardless; bounds one eviction at a million entries.
  static var longestWalk: Int64 { 4096 }

  /// Where an object that is to be written stands.
  enum Place: Hashable, Sendable {
    /// It is in the index already; its file should be there.
    case present
    /// Room is taken; write it.
    case reserved
    /// Others were condemned for it: sweep, then ask again.
    case sweepFirst
  }

  /// The bytes of all objects, those condemned and reserved too.
  func usedBytes() throws(StoreFault) -> Int {
    Int(try connection.number("SELECT bytes FROM totals WHERE id = 1") ?? 0)
  }

  /// Takes room for an object of `size` bytes for which the file system will allocate about `estimate`.
  func reserve(_ hash: ContentHash, size: Int, estimate: Int, owner: String) throws(StoreFault) -> (
    place: Place, evicted: Int
  ) {
    guard estimate <= maxBytes else { throw StoreFault(.noRoom, "reserve room") }
    if let row = try object(hash) {
      switch row.rank {
      case Rank.reserved:
        try addReservation(row.id, owner)
        return (.reserved, 0)
      case Rank.condemned:
        // Our transaction holds the write lock, so nobody unlinks it later than here.
        try files.remove(hash)
        try connection.run("DELETE FROM objects WHERE id = ?", .number(row.id))
      case Rank.stuck: throw StoreFault(.noRoom, "replace a file that cannot be removed")
      default: return (.present, 0)
      }
    }
    let used = try usedBytes()
    if used + estimate <= maxBytes {
      try addReservation(try addObject(hash, size: size, bytes: estimate, rank: Rank.reserved), owner)
      return (.reserved, 0)
    }
    let leaving = Int(try connection.number("SELECT sum(bytes) FROM objects WHERE rank = 4") ?? 0)
    let evicted = try evict(bytes: used + estimate - maxBytes - leaving)
    if leaving == 0 && evicted == 0 { throw StoreFault(.noRoom, "evict") }
    return (.sweepFirst, evicted)
  }

  private func addReservation(_ object: Int64, _ owner: String) throws(StoreFault) {
    try connection.run("INSERT INTO reservations (object, owner) VALUES (?, ?)", .number(object), .text(owner))
  }

  /// Condemns objects until at least `bytes` are on their way out, or nothing is left; returns how many objects.
  func evict(bytes: Int, atMost limit: Int = .max) throws(StoreFault) -> Int {
    var missing = bytes
    var evicted = 0
    while missing > 0, evicted < limit, let victim = try nextVictim() {
      missing -= victim.bytes
      evicted += 1
      _ = try condemn(victim.id)
    }
    return evicted
  }

  /// Moves the hand to the next object that goes; nil if there is nothing but reservations.
  private func nextVictim() throws(StoreFault) -> (id: Int64, bytes: Int)? {
    var hand = try connection.number("SELECT value FROM meta WHERE name = 'hand'") ?? 0
    // To the young end; from the old end; and once more over what the hand itself has cleared.
    for _ in 0..<3 {
      let unmarked = try connection.number(
        "SELECT min(id) FROM objects WHERE rank = 0 AND id > ?", .number(hand))
      let forced = try connection.number(
        "SELECT id FROM objects WHERE rank = 1 AND id > ? AND id < ? ORDER BY id LIMIT 1 OFFSET ?", .number(hand),
        .number(unmarked ?? .max), .number(Self.longestWalk))
      let end = forced ?? unmarked ?? .max
      try connection.run(
        "UPDATE objects SET rank = 0 WHERE rank = 1 AND id > ? AND id < ?", .number(hand), .number(end))
      if let victim = forced ?? unmarked {
        try connection.run("UPDATE meta SET value = ? WHERE name = 'hand'", .number(victim))
        return (victim, Int(try connection.number("SELECT bytes FROM objects WHERE id = ?", .number(victim)) ?? 0))
      }
      hand = 0
    }
    // All that is left was promised: the disk demands the one whose promise ends first.
    guard let pinned = try connection.number("SELECT object FROM pins ORDER BY until LIMIT 1") else { return nil }
    try connection.run("DELETE FROM pins WHERE object = ?", .number(pinned))
    return (pinned, Int(try connection.number("SELECT bytes FROM objects WHERE id = ?", .number(pinned)) ?? 0))
  }

  // MARK: Marks of use and promises

  /// Sets the mark of use on the objects of these entries and on these objects.
  func markUsed(keys: some Sequence<CacheKey>, objects: some Sequence<ContentHash>) throws(StoreFault) {
    for key in keys {
      try connection.run(
        """
        UPDATE objects SET rank = 1 WHERE rank = 0 AND id =
          (SELECT object FROM entries WHERE substr(key, 1, 6) = substr(?1, 1, 6) AND key = ?1)
        """, .blob(key.digest.bytes))
    }
    for hash in objects {
      try connection.run(
        "UPDATE objects SET rank = 1 WHERE rank = 0 AND substr(hash, 1, 6) = substr(?1, 1, 6) AND hash = ?1",
        .blob(hash.digest.bytes))
    }
  }

  /// Promises an object until a moment; a later promise counts. One that is not here cannot be promised.
  func pin(_ hash: ContentHash, until: UnixTime) throws(StoreFault) {
    guard until > now, let row = try object(hash), row.rank <= Rank.pinned else { return }
    try connection.run("UPDATE objects SET rank = 2 WHERE id = ?", .number(row.id))
    try connection.run(
      "INSERT INTO pins VALUES (?, ?) ON CONFLICT (object) DO UPDATE SET until = max(until, excluded.until)",
      .number(row.id), .number(until.milliseconds))
  }

  /// Ends at most `limit` promises whose time is over; an object without entries goes with its promise.
  func endPins(limit: Int) throws(StoreFault) {
    let ended = try connection.rows(
      "SELECT object FROM pins WHERE until <= ? ORDER BY until LIMIT ?", .number(now.milliseconds),
      .number(Int64(limit))
    ) { $0.number(0) }
    for object in ended {
      try connection.run("DELETE FROM pins WHERE object = ?", .number(object))
      try connection.run("UPDATE objects SET rank = 0 WHERE id = ? AND rank = 2", .number(object))
      try condemnUnused(object, evenPinned: false)
    }
  }
}
