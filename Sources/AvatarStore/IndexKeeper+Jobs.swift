import AvatarCore
import Glibc

/// Room that was taken for an object, and where to write it first.
struct Reservation: Sendable {
  var owner: String
  var temporary: String
}

/// What the store asks of its index.
extension IndexKeeper {
  /// File systems allocate in such pieces; what was really allocated is entered once the file is there.
  private static let allocationUnit = 4096

  /// Keeps an entry and its object: room first, then the file, then the entry, so that a crash leaves nothing that points to nothing.
  ///
  /// All on this thread: an avatar's few kilobytes are written sooner than two other threads are woken.
  func keep(_ entry: Entry, _ object: [UInt8]?, begun: PurgeEpoch) throws(StoreFault) -> StoreOutcome {
    // Each round an eviction, by us or another process, may take the object before its entry is there.
    for _ in 0..<4 {
      var reservation: Reservation?
      var allocated: Int?
      if let object {
        switch try reserve(entry, size: object.count, begun: begun) {
        case .kept(let outcome): return outcome
        case .present: break
        case .reserved(let taken):
          reservation = taken
          allocated = try place(object, entry.object, taken)
        case .broken:
          if shared.isWritable { _ = settle(ShardFindings(broken: [entry.object])) }
          continue
        }
      }
      switch try commit(entry, reservation: reservation, allocated: allocated, begun: begun) {
      case .stored: return .stored
      case .purged: return .purged
      case .objectGone: if object == nil { throw StoreFault(.noRoom, "renew an entry") }
      }
    }
    throw StoreFault(.noRoom, "keep an entry")
  }

  /// What became of the wish for room.
  private enum Reserved {
    /// The object was there, whole and in the kernel's memory; so its entry was kept, in the same transaction.
    case kept(StoreOutcome)
    /// The object is there and whole.
    case present
    /// Room was taken: its file is to be written.
    case reserved(Reservation)
    /// The index has it, the disk has not, or not whole.
    case broken
  }

  /// Puts an object's file in place where room was taken for it; returns the bytes that were allocated.
  private func place(
    _ bytes: [UInt8], _ hash: ContentHash, _ reservation: Reservation
  ) throws(StoreFault) -> Int {
    do throws(StoreFault) {
      return try files.write(bytes, as: hash, temporary: reservation.temporary)
    } catch {
      release(hash, after: error)
      throw error
    }
  }

  /// Takes room for an entry's object, evicting others if need be; where the index has the object already, keeps the entry.
  private func reserve(_ entry: Entry, size: Int, begun: PurgeEpoch) throws(StoreFault) -> Reserved {
    flushPins()
    let units = (size + Self.allocationUnit - 1) / Self.allocationUnit
    // Others may take the room that was made; each round evicts more, so a bound is all that is needed.
    for _ in 0..<64 {
      guard let owner = mark?.token else { throw StoreFault(.file(ENODEV), "reserve room") }
      let (place, evicted, kept, standing) = try transact { writes throws(StoreFault) in
        let (place, evicted) = try writes.reserve(
          entry.object, size: size, estimate: units * Self.allocationUnit, owner: owner)
        var kept: IndexWrites.Commit?
        // A file that the disk has to be asked for is not waited for under the write lock.
        if place == .present, files.readCached(entry.object, bytes: size) != nil {
          kept = try writes.commit(entry, owner: nil, allocated: nil, begun: begun)
        }
        return (place, evicted, kept, kept == nil ? nil : try writes.standing())
      }
      shared.count { $0.evictions += evicted }
      if let kept {
        finishJob(standing)
        if case .objectGone = kept { return .broken }
        return .kept(kept == .purged ? .purged : .stored)
      }
      switch place {
      case .present: return try isWhole(entry.object, bytes: size) ? .present : .broken
      case .reserved:
        guard let temporary = newTemporaryPath() else { throw StoreFault(.file(ENODEV), "reserve room") }
        return .reserved(Reservation(owner: owner, temporary: temporary))
      case .sweepFirst: while try sweep() > 0 {}
      }
    }
    throw StoreFault(.noRoom, "reserve room")
  }

  private func isWhole(_ hash: ContentHash, bytes: Int) throws(StoreFault) -> Bool {
    do throws(StoreFault) {
      if case .sound = try files.read(hash, bytes: bytes) { return true }
      return false
    } catch {
      note(error)
      throw error
    }
  }

  /// Keeps an entry whose object is in place.
  private func commit(
    _ entry: Entry, reservation: Reservation?, allocated: Int?, begun: PurgeEpoch
  ) throws(StoreFault) -> IndexWrites.Commit {
    do throws(StoreFault) {
      let (commit, standing) = try transact { writes throws(StoreFault) in
        let commit = try writes.commit(entry, owner: reservation?.owner, allocated: allocated, begun: begun)
        return (commit, try writes.standing())
      }
      finishJob(standing)
      return commit
    } catch {
      if reservation != nil { unreleased.append(entry.object) }
      throw error
    }
  }

  /// Gives room back that was not used, now or when the index takes writes again.
  private func release(_ hash: ContentHash, after fault: StoreFault) {
    note(fault)
    unreleased.append(hash)
    releaseLeftReservations()
  }

  /// Gives all such room back; what the index does not take now is tried again once the disk is well.
  func releaseLeftReservations() {
    guard let owner = mark?.token, !unreleased.isEmpty else { return }
    let hashes = unreleased
    do throws(StoreFault) {
      try transact { writes throws(StoreFault) in
        for hash in hashes { try writes.release(hash, owner: owner) }
      }
      unreleased = []
      finishJob()
    } catch {
      shared.count { $0.failures += 1 }
    }
  }

  /// Drops an entry; one that cannot be dropped is held back from look-ups until it can.
  func remove(_ key: CacheKey) {
    do throws(StoreFault) {
      _ = try transact { writes throws(StoreFault) in try writes.removeEntry(key) }
      finishJob()
    } catch {
      shared.count { $0.failures += 1 }
      shared.deferPurge(Purge(.keys([key])), at: options.clock.now)
    }
  }

  /// Takes out what an audit or a look-up found broken, if it still is, and takes in what has no row; all in one transaction, so give it parts.
  func settle(_ findings: ShardFindings) -> AuditCounts {
    var counts = AuditCounts()
    do throws(StoreFault) {
      counts = try transact { writes throws(StoreFault) in
        var counts = AuditCounts()
        for hash in findings.broken {
          switch try writes.dropBroken(hash) {
          case .damaged: counts.damaged += 1
          case .missing: counts.missing += 1
          case .unchanged: break
          }
        }
        for hash in findings.orphans {
          switch try writes.adopt(hash) {
          case .adopted: counts.adopted += 1
          case .collected: counts.collected += 1
          case .damaged: counts.damaged += 1
          case .unchanged: break
          }
        }
        return counts
      }
      finishJob()
    } catch {
      counts.failures = findings.count
    }
    let (damaged, failures) = (counts.damaged, counts.failures)
    shared.count { statistics in
      statistics.damaged += damaged
      statistics.failures += failures
    }
    return counts
  }

  /// Goes one step on with a purge.
  func step(_ run: PurgeRun) throws(StoreFault) -> PurgeRun {
    let next = try transact { writes throws(StoreFault) -> PurgeRun in
      var next = run
      try next.step(writes)
      return next
    }
    finishJob()
    return next
  }

  /// Carries out what could not be carried out before.
  func runDeferredPurges() {
    for deferred in shared.deferredPurges {
      var run = PurgeRun(deferred.purge)
      do throws(StoreFault) {
        while !run.isDone { run = try step(run) }
        shared.dropDeferredPurge(deferred)
      } catch {
        shared.count { $0.failures += 1 }
        return
      }
    }
  }
}
