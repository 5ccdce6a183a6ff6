public import AvatarCore

/// What `cache stat` shows beside the counters.
public struct StoreDetails: Hashable, Sendable {
  /// The counters.
  public var statistics: StoreStatistics
  /// The directory, absolute.
  public var directory: String
  /// The limit for objects.
  public var maxBytes: Int
  /// Objects promised for a while.
  public var pinned: Int
  /// Origins (scheme, host, port) that entries come from.
  public var origins: Int
  /// Size of the index with its journal.
  public var indexBytes: Int
  /// When the entry that was fetched or renewed longest ago was; nil without entries.
  public var oldest: UnixTime?
}

/// An entry as `cache list` shows it.
public struct ListedEntry: Sendable {
  /// The entry. Its source may hold a query, which is not for showing.
  public var entry: Entry
  /// The source's host.
  public var host: String
  /// The source without its query.
  public var sourceWithoutQuery: String
  /// What the file system allocated for the object.
  public var allocatedBytes: Int
}

/// The `cache` commands; each may run beside servers on the same directory.
extension DiskStore {
  /// The counters and what lies behind them; reads the whole index once for `oldest`, on a thread of its own.
  public func stat() async throws(AvatarError) -> StoreDetails {
    let paths = StorePaths(directory: options.directory)
    let statistics = statistics()
    let (directory, maxBytes) = (options.directory, options.maxBytes)
    return try await auditing { auditor throws(StoreFault) in
      var indexBytes = 0
      for suffix in ["", "-wal", "-shm"] {
        indexBytes += try FileCalls.status(paths.index + suffix)?.allocatedBytes ?? 0
      }
      let oldest = try auditor.reader.number("SELECT ifnull(min(received), -1) FROM entries")
      return StoreDetails(
        statistics: statistics, directory: directory, maxBytes: maxBytes,
        pinned: Int(try auditor.reader.number("SELECT count(*) FROM pins")),
        origins: Int(try auditor.reader.number("SELECT count(*) FROM origins")), indexBytes: indexBytes,
        oldest: oldest < 0 ? nil : UnixTime(milliseconds: oldest))
    }
  }

  /// Reads every object, removes what is damaged, and brings files and index together; `progress` hears of each of 256 parts.
  public func verify(
    _ progress: @escaping @Sendable (_ part: Int, _ counts: AuditCounts) -> Void = { _, _ in }
  ) async throws(AvatarError) -> AuditCounts {
    var total = AuditCounts()
    for shard in 0..<256 {
      var (findings, read) = try await auditing { auditor throws(StoreFault) in
        var (findings, present, foreign) = try auditor.compare(UInt8(shard))
        var counts = AuditCounts()
        counts.foreign = foreign
        for hash in present {
          let (sound, bytes) = auditor.isSound(hash)
          counts.bytesRead += bytes
          if sound { counts.sound += 1 } else { findings.broken.append(hash) }
        }
        return (findings, counts)
      }
      total.add(read)
      while !findings.isEmpty {
        let part = findings.takePart()
        do throws(StoreFault) {
          total.add(try await index.run { keeper throws(StoreFault) in keeper.settle(part) })
        } catch {
          total.failures += part.count
        }
      }
      progress(shard + 1, total)
    }
    return total
  }

  /// Hands over every entry, oldest first, until `each` returns false; a page at a time, so that writers are not held up.
  ///
  /// `each` is called on a thread of the store and may write to a pipe.
  public func list(_ each: @escaping @Sendable (ListedEntry) -> Bool) async throws(AvatarError) {
    var cursor: Int64? = 0
    while let after = cursor {
      cursor = try await auditing { auditor throws(StoreFault) -> Int64? in
        let page = try auditor.reader.entries(after: after, limit: 256)
        for row in page {
          guard let entry = row.entry else { continue }
          let listed = ListedEntry(
            entry: entry, host: row.host, sourceWithoutQuery: withoutQuery(entry.source), allocatedBytes: row.allocated)
          guard each(listed) else { return nil }
        }
        return page.last?.row
      }
    }
  }

  private func auditing<Result: Sendable>(
    _ body: @escaping @Sendable (Auditor) throws(StoreFault) -> Result
  ) async throws(AvatarError) -> Result {
    do throws(StoreFault) {
      return try await audit.run(body)
    } catch {
      throw AvatarError(.internalFault, "the cache cannot be read: \(error.reason), to \(error.step)")
    }
  }
}
