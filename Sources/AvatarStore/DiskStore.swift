public import AvatarCore
import Glibc

/// Avatars on disk: objects as files named by their SHA-256, entries in an SQLite index, safe for several processes and any crash.
///
/// Nothing here throws and nothing waits on the cooperative pool: look-ups and files run on the threads 'avatar-disk', changes of the index on
/// 'avatar-index', audits on 'avatar-audit'. A disk that fails makes misses and failed stores until it is well again.
public final class DiskStore: AvatarStoring {
  let options: DiskStoreOptions
  let shared: StoreShared
  let index: JobQueue<IndexKeeper>
  let disk: JobQueue<DiskThread>
  let audit: JobQueue<Auditor>
  private let files: ObjectFiles

  private init(_ given: DiskStoreOptions) {
    var options = given
    options.directory = Self.absolute(given.directory)
    self.options = options
    let shared = StoreShared()
    self.shared = shared
    let paths = StorePaths(directory: options.directory)
    let files = ObjectFiles(paths: paths, hashing: options.hashing)
    self.files = files
    let settings = options
    let index = JobQueue<IndexKeeper>(
      name: "avatar-index", threads: 1, capacity: options.queueLimit, interval: .milliseconds(500),
      make: { IndexKeeper(options: settings, shared: shared) }, tick: { $0.tick() }, finish: { $0.close() })
    self.index = index
    disk = JobQueue<DiskThread>(
      name: "avatar-disk", threads: min(max(options.diskThreads, 1), 64), capacity: options.queueLimit,
      make: { DiskThread(reader: IndexReader(file: IndexFile(paths: paths), shared: shared), files: files) })
    audit = JobQueue<Auditor>(
      name: "avatar-audit", threads: 1, capacity: 64, urgency: .patient,
      interval: .milliseconds(1000 / Auditor.ticksPerSecond),
      make: {
        Auditor(
          reader: IndexReader(file: IndexFile(paths: paths), shared: shared), files: files, shared: shared,
          bytesPerSecond: settings.scrubBytesPerSecond,
          submit: { findings, done in
            index.submit { keeper in
              _ = keeper.settle(findings)
              done()
            }
          })
      }, tick: { $0.tick() })
  }

  /// Opens the cache, and returns once its index is open or was found unusable; never fails.
  public static func open(_ options: DiskStoreOptions) async -> DiskStore {
    let store = DiskStore(options)
    await store.change { keeper in keeper.open() }
    return store
  }

  /// Writes down what is waiting and closes everything. Calls after that find nothing and store nothing.
  public func close() async {
    await audit.close()
    await disk.close()
    await index.close()
  }

  // MARK: Looking up

  /// The entry and its verified bytes, with purges that wait for the disk already applied; nil for a miss. What is broken is taken out first.
  public func load(_ key: CacheKey) async -> LoadedAvatar? {
    await withCheckedContinuation { continuation in load(key) { continuation.resume(returning: $0) } }
  }

  /// The same without a task: `done` is called on a thread of the store, which builds and sends the answer without two changes of thread more.
  public func load(_ key: CacheKey, _ done: @escaping @Sendable (LoadedAvatar?) -> Void) {
    let shared = shared
    let accepted = disk.submit { thread in
      do throws(StoreFault) {
        guard let kept = try thread.reader.entry(key), let entry = shared.afterDeferredPurges(kept) else {
          return done(nil)
        }
        if case .sound(let jpeg) = try thread.files.read(entry.object, bytes: entry.objectBytes) {
          return done(LoadedAvatar(entry: entry, jpeg: jpeg))
        }
        Task {
          await self.settleBroken(entry.object)
          done(nil)
        }
      } catch {
        shared.count { $0.failures += 1 }
        done(nil)
      }
    }
    guard !accepted else { return }
    shared.count { $0.failures += 1 }
    done(nil)
  }

  /// The verified bytes of an entry's object if the kernel has them in its memory, with purges that wait for the disk already applied. Larger ones
  /// take too long to verify for a thread that serves others.
  public func loadAtOnce(_ entry: Entry) -> FixedBytes? {
    guard (1...Self.bytesAtOnce).contains(entry.objectBytes), shared.afterDeferredPurges(entry) == entry else {
      return nil
    }
    return files.readCached(entry.object, bytes: entry.objectBytes)
  }

  private static let bytesAtOnce = 65_536

  /// The verified bytes of an object; works without an index too. Counts as a use.
  public func object(_ hash: ContentHash) async -> FixedBytes? {
    let shared = shared
    let found = await look { thread throws(StoreFault) -> Found in
      guard !shared.isHeldBack(hash) else { return .nothing }
      var rank: Int64?
      // Without an index the file alone has to do: its name proves its bytes.
      do throws(StoreFault) { rank = try thread.reader.rank(of: hash) } catch { shared.count { $0.failures += 1 } }
      if let rank, rank >= IndexSchema.Rank.reserved { return .nothing }
      switch try thread.files.read(hash) {
      case .sound(let jpeg): return .object(jpeg)
      case .missing: return rank == nil ? .nothing : .broken(hash)
      case .damaged: return .broken(hash)
      }
    }
    switch found {
    case .object(let jpeg):
      shared.mark(used: hash)
      return jpeg
    case .broken(let hash): await settleBroken(hash)
    case .nothing: break
    }
    return nil
  }

  // MARK: Changing

  /// Keeps an entry and its object: room first, then the file, then the entry, so that a crash leaves nothing that points to nothing.
  ///
  /// For a key that has the same object already, `changedAt` stays; it never goes back for another. `.failed` at once while the disk is
  /// known not to take writes.
  public func store(_ entry: Entry, object: [UInt8]?, begun: PurgeEpoch) async -> StoreOutcome {
    guard shared.isWritable else {
      shared.count { $0.failures += 1 }
      return .failed
    }
    do throws(StoreFault) {
      return try await index.run { keeper throws(StoreFault) in try keeper.keep(entry, object, begun: begun) }
    } catch {
      shared.count { $0.failures += 1 }
      return .failed
    }
  }

  /// Drops an entry, and its object with its last entry. Where the index does not take it now, look-ups hold to it until it does.
  public func remove(_ key: CacheKey) async {
    let accepted = await change { keeper in keeper.remove(key) }
    if !accepted { shared.deferPurge(Purge(.keys([key])), at: options.clock.now) }
  }

  /// Promises an object until a moment; the promise is with the writer before the next eviction of this process.
  public func pin(_ hash: ContentHash, until: UnixTime) {
    // The first that waits wakes the writer, so that no other process evicts it meanwhile.
    if shared.pin(hash, until: until) { _ = index.submit { keeper in keeper.flushPins() } }
  }

  /// Notes a use, in memory; written down about once a second.
  public func recordUse(_ key: CacheKey) { shared.mark(used: key) }

  // MARK: Purges

  /// The number of the last purge that this process knows of.
  public func epoch() -> PurgeEpoch { shared.epoch }

  /// Carries out a purge; when this returns it holds here, and within a second in every process.
  ///
  /// Where the index does not take it, it holds in this process's look-ups and is carried out once the index is well.
  public func purge(_ purge: Purge) async -> PurgeResult {
    var run = PurgeRun(purge)
    do throws(StoreFault) {
      while !run.isDone {
        let present = run
        run = try await index.run { keeper throws(StoreFault) in try keeper.step(present) }
      }
      await change { keeper in keeper.notePurges() }
    } catch {
      // It holds here from now on, and in the index as soon as that takes writes again.
      shared.count { $0.failures += 1 }
      shared.deferPurge(purge, at: options.clock.now)
      shared.announce([purge], through: shared.epoch)
    }
    return run.result
  }

  /// Calls `notice` on a thread of the store for each purge from now on, of this process too.
  public func observePurges(_ notice: @escaping @Sendable (Purge) -> Void) { shared.observe(notice) }

  /// The counters, from memory.
  public func statistics() -> StoreStatistics { shared.statistics }

  // MARK: Threads

  private enum Found: Sendable {
    case object(FixedBytes)
    case broken(ContentHash)
    case nothing
  }

  private func look(_ body: @escaping @Sendable (DiskThread) throws(StoreFault) -> Found) async -> Found {
    do throws(StoreFault) {
      return try await disk.run(body)
    } catch {
      shared.count { $0.failures += 1 }
      return .nothing
    }
  }

  private func settleBroken(_ hash: ContentHash) async {
    guard shared.isWritable else { return }
    await change { keeper in _ = keeper.settle(ShardFindings(broken: [hash])) }
  }

  /// Runs a change that notes its own faults; false where the queue had no room for it, which is counted.
  @discardableResult
  func change(_ body: @escaping @Sendable (IndexKeeper) -> Void) async -> Bool {
    do throws(StoreFault) {
      try await index.run { keeper throws(StoreFault) in body(keeper) }
      return true
    } catch {
      shared.count { $0.failures += 1 }
      return false
    }
  }

  /// Writes marks of use and promises down now and ends those that are over; what the writer does once a second.
  func flush() async { await change { keeper in keeper.flushMarks() } }

  private static func absolute(_ path: String) -> String {
    var trimmed = path[...]
    while trimmed.utf8.count > 1, trimmed.hasSuffix("/") { trimmed.removeLast() }
    guard !trimmed.hasPrefix("/"), let current = getcwd(nil, 0) else { return String(trimmed) }
    defer { free(current) }
    return String(cString: current) + "/" + trimmed
  }
}
