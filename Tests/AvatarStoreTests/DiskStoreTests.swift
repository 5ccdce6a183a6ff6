import AvatarCore
import Glibc
import Synchronization
import Testing

@testable import AvatarStore

/// What a cache on a sound disk does.
@Suite struct DiskStoreTests {
  @Test func `what was stored is found again, field for field`() async throws {
    let sandbox = try Sandbox()
    let store = await sandbox.open()
    for number in 0..<40 {
      let sample = Sample(number)
      #expect(await store.keep(sample, as: number) == .stored, "key \(number)")
      let loaded = await store.load(Sample.key(number))
      #expect(loaded?.entry == sample.entry(number), "key \(number)")
      #expect(loaded?.jpeg.bytes == sample.jpeg, "key \(number)")
    }
    #expect(await store.load(Sample.key(1000)) == nil)
    #expect(await store.object(Sample(1000).hash) == nil)
    await store.close()
  }

  @Test func `an object is a plain file named by its SHA-256`() async throws {
    let sandbox = try Sandbox()
    let store = await sandbox.open()
    let sample = Sample(1)
    _ = await store.keep(sample, as: 1)
    let path = "\(sandbox.cache)/objects/\(sample.hash.digest.hex.prefix(2))/\(sample.hash.digest.hex).jpg"
    guard case .bytes(let bytes) = try FileCalls.read(path, maximumBytes: 1 << 20) else {
      Issue.record("no file at \(path)")
      return
    }
    #expect(bytes.bytes == sample.jpeg)
    #expect(try FileCalls.names(in: sandbox.paths.incoming) == [])
    await store.close()
  }

  @Test func `the same bytes from two URLs are one object, which goes with the last of them`() async throws {
    let sandbox = try Sandbox()
    let store = await sandbox.open()
    let sample = Sample(1)
    #expect(await store.keep(sample, as: 1) == .stored)
    #expect(await store.keep(sample, as: 2) == .stored)
    #expect(try sandbox.objects().count == 1)
    #expect(store.statistics().entries == 2 && store.statistics().objects == 1)
    await store.remove(Sample.key(1))
    #expect(await store.load(Sample.key(2))?.jpeg.bytes == sample.jpeg)
    await store.remove(Sample.key(2))
    #expect(try sandbox.objects().isEmpty)
    #expect(store.statistics() == StoreStatistics())
    await store.close()
  }

  @Test func `new bytes under a key replace the old ones, and their file goes`() async throws {
    let sandbox = try Sandbox()
    let store = await sandbox.open()
    _ = await store.keep(Sample(1), as: 1)
    _ = await store.keep(Sample(2), as: 1)
    #expect(await store.load(Sample.key(1))?.jpeg.bytes == Sample(2).jpeg)
    #expect(try sandbox.objects().keys.sorted() == [Sample(2).hash.digest.hex + ".jpg"])
    await store.close()
  }

  @Test func `the time of the last change stays for the same bytes and never goes back`() async throws {
    let sandbox = try Sandbox()
    let store = await sandbox.open()
    func put(_ sample: Sample, at seconds: Int64) async -> Int64? {
      let entry = sample.entry(1, at: UnixTime(seconds: seconds))
      _ = await store.store(entry, object: sample.jpeg, begun: store.epoch())
      return await store.load(Sample.key(1))?.entry.changedAt.seconds
    }
    #expect(await put(Sample(1), at: 1000) == 1000)
    #expect(await put(Sample(1), at: 2000) == 1000)
    #expect(await put(Sample(2), at: 3000) == 3000)
    #expect(await put(Sample(3), at: 2500) == 3000)
    await store.close()
  }

  @Test func `a renewal changes an entry without bytes, and fails where the object has gone`() async throws {
    let sandbox = try Sandbox()
    let store = await sandbox.open()
    let sample = Sample(1)
    #expect(await store.store(sample.entry(1), object: nil, begun: store.epoch()) == .failed)
    _ = await store.keep(sample, as: 1)
    var renewed = sample.entry(1)
    renewed.metadata.receivedAt = UnixTime(seconds: 1_700_000_999)
    renewed.metadata.validators.etag = "\"new\""
    #expect(await store.store(renewed, object: nil, begun: store.epoch()) == .stored)
    #expect(await store.load(Sample.key(1))?.entry == renewed)
    await store.close()
  }

  @Test func `a restart serves everything that was there`() async throws {
    let sandbox = try Sandbox()
    let first = await sandbox.open()
    for number in 0..<30 { _ = await first.keep(Sample(number), as: number) }
    let before = first.statistics()
    await first.close()
    #expect(await first.load(Sample.key(1)) == nil)
    #expect(await first.keep(Sample(99), as: 99) == .failed)
    let second = await sandbox.open()
    for number in 0..<30 {
      #expect(await second.load(Sample.key(number))?.jpeg.bytes == Sample(number).jpeg, "key \(number)")
    }
    #expect(second.statistics().bytes == before.bytes && second.statistics().entries == 30)
    #expect(try FileCalls.names(in: sandbox.paths.processes).count == 1)
    await second.close()
    #expect(try FileCalls.names(in: sandbox.paths.processes) == [])
  }

  @Test func `the listing gives every entry in order, without its query, and stops when told`() async throws {
    let sandbox = try Sandbox()
    let store = await sandbox.open()
    for number in 0..<600 { _ = await store.keep(Sample(number % 3), as: number, host: "h\(number % 2).example") }
    let all = try await store.all()
    #expect(all.map(\.entry.key) == (0..<600).map(Sample.key))
    #expect(all[1].host == "h1.example" && all[1].sourceWithoutQuery == "https://h1.example/u/1.png")
    #expect(all.allSatisfy { $0.allocatedBytes >= 3000 })
    let seen = Box(0)
    try await store.list { _ in
      seen.value.withLock { count in
        count += 1
        return count < 300
      }
    }
    #expect(seen.value.withLock { $0 } == 300)
    let details = try await store.stat()
    #expect(details.origins == 2 && details.statistics.entries == 600 && details.pinned == 0)
    #expect(details.oldest == UnixTime(seconds: 1_700_000_000))
    await store.close()
  }

  @Test func `origins go with their last entry`() async throws {
    let sandbox = try Sandbox()
    let store = await sandbox.open()
    _ = await store.keep(Sample(1), as: 1, host: "a.example")
    _ = await store.keep(Sample(1), as: 2, host: "a.example")
    #expect(try await store.stat().origins == 1)
    _ = await store.keep(Sample(1), as: 1, host: "b.example")
    #expect(try await store.stat().origins == 2)
    await store.remove(Sample.key(1))
    #expect(try await store.stat().origins == 1)
    await store.remove(Sample.key(2))
    #expect(try await store.stat().origins == 0)
    await store.close()
  }

  @Test func `an avatar whose bytes are there is kept in one transaction`() async throws {
    let sandbox = try Sandbox()
    let store = await sandbox.open()
    // New bytes take room before their file is written: one more.
    for (number, key, transactions) in [(1, 1, 2), (1, 2, 1), (1, 3, 1), (2, 4, 2)] {
      let before = try commits(in: sandbox)
      #expect(await store.keep(Sample(number), as: key) == .stored)
      #expect(try commits(in: sandbox) == before + transactions, "avatar \(number) as \(key)")
    }
    await store.close()
  }

  /// Transactions in the index's write-ahead log: frames that say how large the database is after them (SQLite's file format, 4.1).
  private func commits(in sandbox: Sandbox) throws -> Int {
    guard case .bytes(let log) = try FileCalls.read(sandbox.paths.index + "-wal", maximumBytes: 1 << 24) else {
      return 0
    }
    let bytes = log.bytes
    let (header, frame, page) = (32, 24, 4096)
    var found = 0
    for start in stride(from: header, to: bytes.count, by: frame + page) {
      let isOfThisLog = bytes[start + 8..<start + 16] == bytes[16..<24]
      if isOfThisLog, bytes[start + 4..<start + 8] != [0, 0, 0, 0] { found += 1 }
    }
    return found
  }

  @Test func `many callers at once lose nothing`() async throws {
    let sandbox = try Sandbox()
    let store = await sandbox.open()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<200 {
        group.addTask {
          let sample = Sample(number / 4)
          let outcome = await store.keep(sample, as: number)
          #expect(outcome == .stored, "key \(number)")
          let loaded = await store.load(Sample.key(number))
          #expect(loaded?.jpeg.bytes == sample.jpeg, "key \(number)")
        }
      }
    }
    #expect(store.statistics().entries == 200 && store.statistics().objects == 50)
    #expect(try sandbox.objects().count == 50)
    await store.close()
  }

  @Test func `a file larger than any avatar is not kept`() async throws {
    let sandbox = try Sandbox()
    let store = await sandbox.open(maxBytes: 100_000)
    #expect(await store.keep(Sample(1, size: 100_000), as: 1) == .failed)
    #expect(await store.keep(Sample(2, size: 90_000), as: 2) == .stored)
    #expect(try sandbox.objects().count == 1)
    await store.close()
  }

  @Test(arguments: [
    ("https://example.com/a?b", "https://example.com", "example.com", "/a?b"),
    ("http://example.com:8080/", "http://example.com:8080", "example.com", "/"),
    ("https://[2001:db8::1]:8443/x", "https://[2001:db8::1]:8443", "[2001:db8::1]", "/x"),
    ("https://example.com", "https://example.com", "example.com", ""),
    ("https://example.com?x=://y/", "https://example.com", "example.com", "?x=://y/"),
    ("no url", "", "", "no url"), ("", "", "", ""),
  ])
  func `a source is an origin, a host and a path`(_ row: (String, String, String, String)) {
    let parts = SourceParts(row.0)
    #expect(parts.origin == row.1 && parts.host == row.2 && parts.path == row.3, "\(row.0)")
    #expect(parts.origin + parts.path == row.0)
  }
}
