import AvatarCore
import AvatarCrypto
import AvatarStore
import Glibc
import Synchronization

/// Runs a store on a small file system of its own; the process must be alone in a mount namespace in which it may mount.
struct FaultyDisk {
  let directory: String

  /// Fills a disk of one megabyte, finds every avatar that was kept, gives it more room, and waits for the store to notice.
  func fill() async {
    mount("-t tmpfs -o size=1m none")
    let log = EventWaiter()
    let store = await DiskStore.open(StoreProbe.options(directory, maxBytes: 1 << 30, log: log))
    var kept: [Int] = []
    var failed = 0
    for number in 0..<400 {
      if await keep(number, in: store) { kept.append(number) } else { failed += 1 }
      let absent = await missing(kept.suffix(3), in: store)
      if !absent.isEmpty { fail("\(absent) were kept and are not there, at \(number)") }
    }
    if kept.isEmpty || failed == 0 { fail("kept \(kept.count), failed \(failed)") }
    let absent = await missing(kept[...], in: store)
    if !absent.isEmpty { fail("of \(kept.count) kept on a full disk \(absent) are not there") }
    if store.statistics().failures == 0 { fail("no failure counted") }
    let lines = log.count(of: "cache_unwritable")
    if lines == 0 || lines > 100 { fail("\(lines) lines of an unwritable cache for \(failed) failed stores") }
    await store.purgeAndExpectHeldBack(Churn.key(kept[0]))
    mount("-o remount,size=64m none")
    await log.wait(for: "cache_writable", unless: { store.statistics().isWritable })
    if await !keep(1000, in: store) { fail("does not store with room again") }
    if await store.load(Churn.key(kept[0])) != nil { fail("a purge made on a full disk was forgotten") }
    await finish(store)
  }

  /// Opens a cache on a read-only disk, serves from it, and stores once it takes writes.
  func protect() async {
    mount("-t tmpfs -o size=8m none")
    let first = await DiskStore.open(StoreProbe.options(directory, maxBytes: 1 << 30))
    for number in 0..<20 where await !keep(number, in: first) { fail("does not store on a good disk") }
    await first.close()
    mount("-o remount,ro none")
    let log = EventWaiter()
    let store = await DiskStore.open(StoreProbe.options(directory, maxBytes: 1 << 30, log: log))
    if store.statistics().isWritable { fail("takes a read-only disk for writable") }
    let absent = await missing(Array(0..<20)[...], in: store)
    if !absent.isEmpty { fail("\(absent) are not served from a read-only disk") }
    if await keep(100, in: store) { fail("says that it stored on a read-only disk") }
    if log.count(of: "cache_unwritable") != 1 { fail("\(log.count(of: "cache_unwritable")) lines for one change") }
    mount("-o remount,rw none")
    await log.wait(for: "cache_writable", unless: { store.statistics().isWritable })
    if await !keep(101, in: store) { fail("does not store on a disk that takes writes again") }
    await finish(store)
  }

  private func finish(_ store: DiskStore) async {
    let counts = try? await store.verify()
    guard let counts, counts.damaged == 0, counts.missing == 0, counts.failures == 0 else {
      fail("after all: \(String(describing: counts))")
    }
    await store.close()
    say("sound \(counts.sound)")
  }

  private func keep(_ number: Int, in store: DiskStore) async -> Bool {
    let jpeg = Churn.object(number)
    let entry = Entry(
      key: Churn.key(number), source: "https://example.com/\(number)",
      object: ContentHash(OpenSSLHashing().sha256(jpeg)),
      objectBytes: jpeg.count, metadata: OriginMetadata(receivedAt: RealClock().now), changedAt: RealClock().now)
    return await store.store(entry, object: jpeg, begun: store.epoch()) == .stored
  }

  private func missing(_ numbers: ArraySlice<Int>, in store: DiskStore) async -> [Int] {
    var missing: [Int] = []
    for number in numbers where await store.load(Churn.key(number))?.jpeg.bytes != Churn.object(number) {
      missing.append(number)
    }
    return missing
  }

  private func mount(_ options: String) {
    if system("mount \(options) '\(directory)'") != 0 {
      fail("mount \(options) failed: a mount namespace of our own is needed")
    }
  }
}

extension DiskStore {
  /// Purges a key and ends the process if it can still be looked up.
  fileprivate func purgeAndExpectHeldBack(_ key: CacheKey) async {
    _ = await purge(Purge(.keys([key])))
    if await load(key) != nil { fail("a purge made on a full disk does not hold") }
  }
}

/// A log that counts events and wakes those who wait for one.
final class EventWaiter: EventLogging {
  private struct State {
    var counts: [String: Int] = [:]
    var waiting: [(event: String, continuation: CheckedContinuation<Void, Never>)] = []
  }
  private let state = Mutex(State())

  func isEnabled(_ level: LogLevel) -> Bool { true }

  func log(_ level: LogLevel, _ event: StaticString, _ fields: [(StaticString, LogValue)]) {
    let name = "\(event)"
    let woken = state.withLock { state in
      state.counts[name, default: 0] += 1
      let woken = state.waiting.filter { $0.event == name }
      state.waiting.removeAll { $0.event == name }
      return woken
    }
    for waiter in woken { waiter.continuation.resume() }
  }

  func count(of event: String) -> Int { state.withLock { $0.counts[event] ?? 0 } }

  /// Waits for the next such event, unless what it tells of is so already.
  func wait(for event: String, unless isSo: @Sendable () -> Bool) async {
    await withCheckedContinuation { continuation in
      state.withLock { $0.waiting.append((event, continuation)) }
      guard isSo() else { return }
      let mine = state.withLock { state in
        defer { state.waiting.removeAll { $0.event == event } }
        return state.waiting.filter { $0.event == event }
      }
      for waiter in mine { waiter.continuation.resume() }
    }
  }
}
