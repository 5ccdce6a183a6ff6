import AvatarCore
import Glibc
import Synchronization
import Testing

@testable import AvatarStore

/// What becomes of files that somebody or something has changed.
@Suite struct DamageTests {
  /// A way to hurt a file.
  struct Harm: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var isDamage = true
    var change: @Sendable (_ path: String, _ bytes: [UInt8]) throws -> Void
  }

  static func put(_ bytes: [UInt8], at path: String) throws {
    try FileCalls.removeTree(path)
    _ = try FileCalls.write(bytes, to: path)
  }

  static let harms = [
    Harm(testDescription: "cut") { try put(Array($1.prefix($1.count / 2)), at: $0) },
    Harm(testDescription: "empty") { path, _ in try put([], at: path) },
    Harm(testDescription: "zeroed") { try put([UInt8](repeating: 0, count: $1.count), at: $0) },
    Harm(testDescription: "longer") { try put($1 + [0], at: $0) },
    Harm(testDescription: "one bit flipped") { path, bytes in
      var bytes = bytes
      bytes[bytes.count * 2 / 3] ^= 4
      try put(bytes, at: path)
    },
    Harm(testDescription: "another avatar's bytes") { path, _ in try put(Sample(77).jpeg, at: path) },
    Harm(testDescription: "huge") { path, _ in
      try put([], at: path)
      guard truncate(path, 1 << 40) == 0 else { throw StoreFault.errno("grow") }
    },
    Harm(testDescription: "an empty folder") { path, _ in
      try FileCalls.remove(path)
      guard mkdir(path, 0o755) == 0 else { throw StoreFault.errno("mkdir") }
    },
    Harm(testDescription: "a folder with something in it") { path, _ in
      try FileCalls.remove(path)
      guard mkdir(path, 0o755) == 0 else { throw StoreFault.errno("mkdir") }
      try put([1], at: path + "/somebody's")
    },
    Harm(testDescription: "a link to a good copy") { path, bytes in
      try put(bytes, at: path + ".copy")
      try FileCalls.remove(path)
      guard symlink(path + ".copy", path) == 0 else { throw StoreFault.errno("symlink") }
    },
    Harm(testDescription: "a pipe") { path, _ in
      try FileCalls.remove(path)
      guard mkfifo(path, 0o644) == 0 else { throw StoreFault.errno("mkfifo") }
    },
    Harm(testDescription: "gone", isDamage: false) { path, _ in try FileCalls.remove(path) },
    Harm(testDescription: "its folder gone", isDamage: false) { path, _ in
      try FileCalls.removeTree(String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.endIndex)))
    },
    Harm(testDescription: "its folder a file", isDamage: false) { path, _ in
      let folder = String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.endIndex))
      try FileCalls.removeTree(folder)
      try put([1], at: folder)
    },
  ]

  @Test(arguments: harms)
  func `a changed file is a miss, is taken out with all its entries, and can be stored again`(_ harm: Harm) async throws
  {
    let sandbox = try Sandbox()
    let store = await sandbox.open()
    let sample = Sample(1)
    _ = await store.keep(sample, as: 1)
    _ = await store.keep(sample, as: 2)
    _ = await store.keep(Sample(3), as: 3)
    try harm.change(sandbox.paths.object(sample.hash), sample.jpeg)
    #expect(await store.load(Sample.key(1)) == nil)
    #expect(try await store.all().map(\.entry.key) == [Sample.key(3)])
    if harm.isDamage {
      #expect(store.statistics().damaged == 1)
      #expect(try FileCalls.status(sandbox.paths.object(sample.hash)) == nil)
    }
    #expect(await store.keep(sample, as: 2) == .stored)
    #expect(await store.load(Sample.key(2))?.jpeg.bytes == sample.jpeg)
    #expect(await store.object(sample.hash)?.bytes == sample.jpeg)
    #expect(await store.load(Sample.key(3))?.jpeg.bytes == Sample(3).jpeg)
    await store.close()
  }

  @Test(arguments: harms)
  func `a changed file is never read at once`(_ harm: Harm) async throws {
    let sandbox = try Sandbox()
    let store = await sandbox.open()
    let sample = Sample(1)
    _ = await store.keep(sample, as: 1)
    let entry = try #require(await store.load(Sample.key(1))).entry
    // What was just written is in the kernel's memory, unless its file system cannot say so.
    if let read = store.loadAtOnce(entry) { #expect(read.bytes == sample.jpeg) }
    try harm.change(sandbox.paths.object(sample.hash), sample.jpeg)
    #expect(store.loadAtOnce(entry) == nil)
    await store.close()
  }

  @Test func `at once comes what is small, and as large as its entry says`() async throws {
    let sandbox = try Sandbox()
    let store = await sandbox.open()
    for (number, size) in [(1, 65_536), (2, 65_537)] {
      let sample = Sample(number, size: size)
      _ = await store.keep(sample, as: number)
      var entry = try #require(await store.load(Sample.key(number))).entry
      if size > 65_536 { #expect(store.loadAtOnce(entry) == nil) }
      for wrong in [-1, 0, size - 1, size + 1, Int.max] {
        entry.objectBytes = wrong
        #expect(store.loadAtOnce(entry) == nil, "\(wrong)")
      }
    }
    await store.close()
  }

  @Test(arguments: harms)
  func `a changed file is noticed by the request for its hash, and by a store of the same bytes`(_ harm: Harm)
    async throws
  {
    let sandbox = try Sandbox()
    let store = await sandbox.open()
    let sample = Sample(1)
    _ = await store.keep(sample, as: 1)
    try harm.change(sandbox.paths.object(sample.hash), sample.jpeg)
    #expect(await store.object(sample.hash) == nil)
    _ = await store.keep(sample, as: 1)
    try harm.change(sandbox.paths.object(sample.hash), sample.jpeg)
    #expect(await store.keep(sample, as: 2) == .stored)
    #expect(await store.load(Sample.key(2))?.jpeg.bytes == sample.jpeg)
    await store.close()
  }

  @Test func `verification reads everything, removes what is damaged, and leaves foreign files alone`() async throws {
    let sandbox = try Sandbox()
    let store = await sandbox.open()
    for number in 0..<50 { _ = await store.keep(Sample(number), as: number) }
    let paths = sandbox.paths
    for number in 0..<5 { try Self.put([1, 2, 3], at: paths.object(Sample(number).hash)) }
    for number in 5..<8 { try FileCalls.remove(paths.object(Sample(number).hash)) }
    let shard = paths.shard(of: Sample(10).hash)
    try Self.put([1], at: shard + "/notes.txt")
    try Self.put([1], at: sandbox.cache + "/README")
    let parts = Box<[Int]>([])
    let counts = try await store.verify { part, _ in parts.value.withLock { $0.append(part) } }
    // The comparison at the start of every store runs beside this and may be the first to miss a file.
    #expect(counts.damaged == 5 && counts.missing <= 3 && counts.sound == 42, "\(counts)")
    #expect(counts.foreign == 1, "\(counts)")
    #expect(parts.value.withLock { $0 } == Array(1...256))
    let again = try await store.verify()
    #expect(again.damaged == 0 && again.missing == 0 && again.sound == 42 && again.failures == 0, "\(again)")
    #expect(try await store.all().count == 42)
    #expect(try FileCalls.status(shard + "/notes.txt") != nil && FileCalls.status(sandbox.cache + "/README") != nil)
    #expect(store.statistics().objects == 42)
    await store.close()
  }

  @Test func `the scrubber finds a damaged file by itself`() async throws {
    let sandbox = try Sandbox()
    let log = EventLog()
    let first = await sandbox.open()
    for number in 0..<20 { _ = await first.keep(Sample(number), as: number) }
    await first.close()
    try Self.put([1, 2, 3], at: sandbox.paths.object(Sample(7).hash))
    var options = sandbox.options(log: log)
    options.scrubBytesPerSecond = 50 << 20
    let store = await DiskStore.open(options)
    await log.wait(for: "cache_objects_damaged")
    #expect(store.statistics().damaged == 1 && store.statistics().entries == 19)
    #expect(try FileCalls.status(sandbox.paths.object(Sample(7).hash)) == nil)
    await store.close()
  }
}
