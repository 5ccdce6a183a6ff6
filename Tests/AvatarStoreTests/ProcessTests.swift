import AvatarCore
import AvatarCrypto
import Synchronization
import Testing

@testable import AvatarStore

/// Processes that share a directory, that are killed, and whose disk fails.
@Suite(.serialized) struct ProcessTests {
  /// The seeded form in the suite is short; `AVATAR_CRASH_ROUNDS=200` makes it long.
  static let rounds = environmentNumber("AVATAR_CRASH_ROUNDS") ?? 20
  static let maxBytes = 1 << 20

  /// Everything in the directory is as it should be: files fit their names and the index, entries can be loaded, nothing is left over.
  private func inspect(_ sandbox: Sandbox, _ store: DiskStore, _ what: String) async throws {
    let counts = try await store.verify()
    #expect(
      counts.damaged == 0 && counts.missing == 0 && counts.failures == 0 && counts.foreign == 0, "\(what): \(counts)")
    #expect(counts.adopted == 0 && counts.collected == 0, "\(what): files without a row: \(counts)")
    for listed in try await store.all() {
      let loaded = await store.load(listed.entry.key)
      #expect(
        loaded.map { ContentHash(OpenSSLHashing().sha256($0.jpeg.bytes)) } == listed.entry.object,
        "\(what): \(listed.entry.key)")
    }
    let files = try sandbox.objects()
    #expect(files.count == store.statistics().objects, "\(what)")
    #expect(files.values.reduce(0, +) == store.statistics().bytes, "\(what)")
    #expect(store.statistics().bytes <= Self.maxBytes, "\(what)")
    #expect(try FileCalls.names(in: sandbox.paths.incoming) == [], "\(what)")
    #expect(try FileCalls.names(in: sandbox.paths.processes).count == 1, "\(what)")
    #expect(try FileCalls.status(sandbox.paths.setAside) == nil, "\(what): an index was set aside")
  }

  @Test func `kill -9 at any moment leaves nothing half, nothing over and nothing that points to nothing`() async throws
  {
    let sandbox = try Sandbox()
    var random = SeededRandom(state: 9)
    var killed = 0
    for round in 0..<Self.rounds {
      let probe = try Probe(["churn", sandbox.cache, "\(round)", "\(Self.maxBytes)", "1000000"])
      #expect(await probe.says("ready"), "round \(round)")
      // The moment is what is tested; nothing is hoped to have happened by then.
      try await Task.sleep(for: .milliseconds(Int.random(in: 0..<250, using: &random)))
      probe.kill()
      let end = try #require(await probe.end())
      #expect(end.wasKilled, "round \(round): \(end)")
      killed += end.wasKilled ? 1 : 0
      let store = await sandbox.open(maxBytes: Self.maxBytes)
      try await inspect(sandbox, store, "round \(round)")
      #expect(await store.keep(Sample(1), as: 1) == .stored, "round \(round)")
      await store.close()
    }
    #expect(killed == Self.rounds)
  }

  @Test func `three processes on one directory keep it whole and under its limit`() async throws {
    let sandbox = try Sandbox()
    let store = await sandbox.open(maxBytes: Self.maxBytes)
    let probes = try (1...2).map { try Probe(["churn", sandbox.cache, "\($0)", "\(Self.maxBytes)", "1200"]) }
    for number in 0..<300 {
      let outcome = await store.keep(Sample(number), as: number)
      #expect(outcome != .failed, "\(number)")
      let used = await store.allocatedBytes(in: sandbox)
      #expect(used <= Self.maxBytes, "\(used) bytes")
    }
    for probe in probes {
      let end = try #require(await probe.end())
      #expect(end.status == 0 && end.output.contains("failed 0\n"), "\(end)")
    }
    await store.change { keeper in keeper.tick() }
    try await inspect(sandbox, store, "after all")
    await store.close()
  }

  @Test(arguments: ["full", "readonly"])
  func `a disk that takes no writes costs stores and nothing else, and is noticed when it is well again`(
    _ fault: String
  ) async throws {
    let sandbox = try Sandbox()
    try FileCalls.ensureFolder(sandbox.cache) { _ throws(StoreFault) in }
    let probe = try Probe([fault, sandbox.cache], inMountNamespace: true)
    let end = try #require(await probe.end())
    #expect(end.status == 0 && !end.wasKilled && end.output.contains("sound "), "\(end)")
  }

  @Test func `what a process that lives is writing is not swept by another`() async throws {
    let sandbox = try Sandbox()
    let living = await sandbox.open()
    let path = Box<String?>(nil)
    await living.change { keeper in
      let temporary = keeper.newTemporaryPath()
      if let temporary { _ = try? FileCalls.write([1, 2, 3], to: temporary) }
      path.value.withLock { $0 = temporary }
    }
    let dead = "\(sandbox.paths.incoming)/0123456789abcdef-1.jpg"
    _ = try FileCalls.write([1], to: dead)
    _ = try FileCalls.write([1], to: "\(sandbox.paths.incoming)/notes.txt")
    let other = await sandbox.open()
    let temporary = try #require(path.value.withLock { $0 })
    #expect(try FileCalls.status(temporary) != nil && FileCalls.status(dead) == nil)
    #expect(try FileCalls.status("\(sandbox.paths.incoming)/notes.txt") != nil, "a foreign file")
    await living.close()
    await other.close()
    let third = await sandbox.open()
    #expect(try FileCalls.status(temporary) == nil)
    await third.close()
  }
}
