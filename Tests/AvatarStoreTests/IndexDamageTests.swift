import AvatarCore
import Glibc
import Testing

@testable import AvatarStore

/// What becomes of a cache whose index, or whose whole directory, was damaged, replaced or lost.
@Suite struct IndexDamageTests {
  typealias Harm = DamageTests.Harm

  private static func put(_ bytes: [UInt8], at path: String) throws { try DamageTests.put(bytes, at: path) }

  static let indexHarms = [
    Harm(testDescription: "deleted") { path, _ in try FileCalls.remove(path) },
    Harm(testDescription: "empty") { path, _ in try put([], at: path) },
    Harm(testDescription: "cut") { try put(Array($1.prefix($1.count / 2)), at: $0) },
    Harm(testDescription: "cut to half a page") { try put(Array($1.prefix(2000)), at: $0) },
    Harm(testDescription: "garbage") { path, bytes in
      var random = SeededRandom(state: 5)
      try put(bytes.map { _ in UInt8.random(in: 0...255, using: &random) }, at: path)
    },
    Harm(testDescription: "zeroed") { try put([UInt8](repeating: 0, count: $1.count), at: $0) },
    Harm(testDescription: "garbage after a good header") { path, bytes in
      var random = SeededRandom(state: 5)
      try put(bytes.prefix(100) + bytes.dropFirst(100).map { _ in UInt8.random(in: 0...255, using: &random) }, at: path)
    },
    Harm(testDescription: "garbage in the later pages") { path, bytes in
      var random = SeededRandom(state: 5)
      try put(
        bytes.prefix(4096) + bytes.dropFirst(4096).map { _ in UInt8.random(in: 0...255, using: &random) }, at: path)
    },
    Harm(testDescription: "another version") { path, bytes in
      var bytes = bytes
      bytes[63] = 99  // user_version, big-endian at 60…63 (SQLite's file format, section 1.3).
      try put(bytes, at: path)
    },
    Harm(testDescription: "another program's") { path, bytes in
      var bytes = bytes
      bytes[68] = 0x7A  // application_id at 68…71.
      try put(bytes, at: path)
    },
    Harm(testDescription: "a folder") { path, _ in
      try FileCalls.remove(path)
      guard mkdir(path, 0o755) == 0 else { throw StoreFault.errno("mkdir") }
      try put([1], at: path + "/x")
    },
    Harm(testDescription: "with a journal of garbage") { path, bytes in
      try put([UInt8](repeating: 0x37, count: 5000), at: path + "-wal")
    },
    Harm(testDescription: "with folders for journals") { path, _ in
      try FileCalls.remove(path)
      guard mkdir(path + "-wal", 0o755) == 0, mkdir(path + "-shm", 0o755) == 0 else { throw StoreFault.errno("mkdir") }
    },
  ]

  @Test(arguments: indexHarms)
  func `a damaged index costs at most its entries; the files are found again`(_ harm: Harm) async throws {
    let sandbox = try Sandbox()
    let first = await sandbox.open()
    for number in 0..<40 { _ = await first.keep(Sample(number), as: number) }
    await first.close()
    guard case .bytes(let bytes) = try FileCalls.read(sandbox.paths.index, maximumBytes: 1 << 24) else {
      Issue.record("no index")
      return
    }
    for _ in 0..<2 {
      try harm.change(sandbox.paths.index, bytes.bytes)
      let log = EventLog()
      let store = await sandbox.open(log: log)
      for number in 0..<40 {
        let found = await store.load(Sample.key(number))
        #expect(found == nil || found?.jpeg.bytes == Sample(number).jpeg, "key \(number)")
        #expect(await store.keep(Sample(number), as: number) == .stored, "key \(number): \(log.events)")
        #expect(
          await store.load(Sample.key(number))?.jpeg.bytes == Sample(number).jpeg,
          "key \(number): \(log.events), \(store.statistics())")
      }
      let counts = try await store.verify()
      #expect(counts.damaged == 0 && counts.missing == 0 && counts.failures == 0, "\(counts)")
      #expect(store.statistics().entries == 40 && store.statistics().objects == 40)
      #expect(try await store.all().count == 40)
      await store.close()
      try FileCalls.removeTree(sandbox.paths.index + "-wal")
      try FileCalls.removeTree(sandbox.paths.index + "-shm")
    }
    #expect(
      try FileCalls.names(in: sandbox.cache + "/set-aside").count(where: {
        !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm")
      }) <= 1)
  }

  @Test func `an index lost while nobody looked has its files adopted, up to the limit`() async throws {
    let sandbox = try Sandbox()
    let first = await sandbox.open()
    for number in 0..<30 { _ = await first.keep(Sample(number), as: number) }
    await first.close()
    try FileCalls.remove(sandbox.paths.index)
    let store = await sandbox.open(maxBytes: 20 * 4096)
    _ = try await store.verify()
    #expect(store.statistics().objects == 20 && store.statistics().bytes == 20 * 4096)
    #expect(try sandbox.objects().count == 20)
    var served = 0
    for number in 0..<30 where await store.object(Sample(number).hash) != nil { served += 1 }
    #expect(served == 20)
    // Adopted objects are evicted like any other.
    #expect(await store.keep(Sample(100), as: 100) == .stored)
    #expect(try sandbox.objects().count == 20)
    await store.close()
  }

  @Test func `one file that cannot be removed costs itself alone, and goes when it can`() async throws {
    let sandbox = try Sandbox()
    let store = await sandbox.open(maxBytes: 5 * 4096)
    let path = sandbox.paths.object(Sample(1).hash)
    _ = await store.keep(Sample(1), as: 1)
    // A folder that is in use as somebody's mount or working place: here one that is not empty, where `set-aside` is closed to us.
    try FileCalls.remove(path)
    guard mkdir(path, 0o755) == 0 else { throw StoreFault.errno("mkdir") }
    try Self.put([1], at: path + "/somebody's")
    try Self.put([1], at: sandbox.paths.setAside)
    await store.remove(Sample.key(1))
    for number in 10..<30 { #expect(await store.keep(Sample(number), as: number) == .stored, "\(number)") }
    #expect(store.statistics().isWritable && store.statistics().bytes <= 5 * 4096)
    #expect(await store.keep(Sample(1), as: 1) == .failed)
    #expect(store.statistics().isWritable)
    await store.close()
    try FileCalls.remove(sandbox.paths.setAside)
    let second = await sandbox.open(maxBytes: 5 * 4096)
    #expect(await second.keep(Sample(1), as: 1) == .stored)
    #expect(await second.load(Sample.key(1))?.jpeg.bytes == Sample(1).jpeg)
    await second.close()
  }

  @Test func `a directory that vanishes under a running store comes back`() async throws {
    let sandbox = try Sandbox()
    let log = EventLog()
    let store = await sandbox.open(log: log)
    _ = await store.keep(Sample(1), as: 1)
    // In one step: the store may make it again at any moment.
    try FileCalls.move(sandbox.cache, to: sandbox.path + "/gone")
    #expect(await store.object(Sample(1).hash) == nil)
    await log.wait(for: "cache_index_replaced")
    await store.flush()
    #expect(await store.load(Sample.key(1)) == nil)
    #expect(await store.keep(Sample(2), as: 2) == .stored)
    #expect(await store.load(Sample.key(2))?.jpeg.bytes == Sample(2).jpeg)
    #expect(try sandbox.objects().count == 1 && FileCalls.names(in: sandbox.paths.processes).count == 1)
    await store.close()
  }

  @Test func `a cache directory that is a file serves nothing, stores nothing, and heals`() async throws {
    let sandbox = try Sandbox()
    try Self.put([1], at: sandbox.cache)
    let log = EventLog()
    let store = await sandbox.open(log: log)
    #expect(await store.keep(Sample(1), as: 1) == .failed)
    #expect(await store.load(Sample.key(1)) == nil)
    #expect(await store.object(Sample(1).hash) == nil)
    #expect(await store.purge(Purge(.everything)) == PurgeResult(entries: 0, objects: 0))
    #expect(!store.statistics().isWritable && store.statistics().failures > 0)
    #expect(log.count(of: "cache_unwritable") == 1)
    try FileCalls.remove(sandbox.cache)
    await log.wait(for: "cache_writable")
    await store.flush()  // Behind the purge that had to wait.
    #expect(await store.keep(Sample(1), as: 1) == .stored)
    #expect(await store.load(Sample.key(1))?.jpeg.bytes == Sample(1).jpeg)
    await store.close()
  }
}
