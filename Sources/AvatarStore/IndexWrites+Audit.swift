import AvatarCore

/// What audits change, each rechecked under the write lock, where no file comes or goes but by us.
extension IndexWrites {
  /// What became of an object that was found broken.
  enum Dropped: Hashable, Sendable {
    case missing
    case damaged
    /// It is whole, or was already on its way out.
    case unchanged
  }

  /// What became of a file without a row.
  enum Adopted: Hashable, Sendable {
    case adopted
    case collected
    case damaged
    /// It has a row, or there is no file.
    case unchanged
  }

  /// Takes an object out with its entries if its file is missing or does not fit its name.
  func dropBroken(_ hash: ContentHash) throws(StoreFault) -> Dropped {
    let row = try object(hash)
    if let row, row.rank >= Rank.reserved { return .unchanged }
    switch try files.read(hash) {
    case .sound: return .unchanged
    case .missing:
      guard let row else { return .unchanged }
      _ = try condemn(row.id)
      return .missing
    case .damaged:
      if let row { _ = try condemn(row.id) } else { try files.remove(hash) }
      return .damaged
    }
  }

  /// Takes a sound file without a row in as an object that no entry names, if there is room for it; removes it otherwise.
  func adopt(_ hash: ContentHash) throws(StoreFault) -> Adopted {
    guard try object(hash) == nil else { return .unchanged }
    switch try files.read(hash) {
    case .missing: return .unchanged
    case .damaged:
      try files.remove(hash)
      return .damaged
    case .sound(let bytes):
      let allocated = try FileCalls.status(files.paths.object(hash))?.allocatedBytes ?? bytes.count
      let adopts = try connection.number("SELECT value FROM meta WHERE name = 'adopts'") == 1
      guard adopts, try usedBytes() + allocated <= maxBytes else {
        try files.remove(hash)
        return .collected
      }
      _ = try addObject(hash, size: bytes.count, bytes: allocated, rank: Rank.unvisited)
      return .adopted
    }
  }
}
