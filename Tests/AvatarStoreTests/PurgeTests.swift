import AvatarCore
import Glibc
import Testing

@testable import AvatarStore

/// Purges, in one process and in those beside it.
@Suite struct PurgeTests {
  /// Ten entries: keys 0…9, hosts `a.example` (even) and `b.a.example` (odd), objects 0…4.
  private func filled(_ sandbox: Sandbox) async -> DiskStore {
    let store = await sandbox.open()
    for number in 0..<10 {
      _ = await store.keep(Sample(number / 2), as: number, host: number.isMultiple(of: 2) ? "a.example" : "b.a.example")
    }
    return store
  }

  struct Row: Sendable, CustomTestStringConvertible {
    var scope: Purge.Scope
    var takes: [Int]
    var objects: Int
    var testDescription: String { "\(takes)" }
  }

  static let rows = [
    Row(scope: .keys([Sample.key(0)]), takes: [0], objects: 0),
    Row(scope: .keys([Sample.key(0), Sample.key(1), Sample.key(99)]), takes: [0, 1], objects: 1),
    Row(scope: .keys([]), takes: [], objects: 0),
    Row(scope: .object(Sample(2).hash), takes: [4, 5], objects: 1),
    Row(scope: .object(Sample(99).hash), takes: [], objects: 0),
    Row(scope: .host("a.example"), takes: [0, 2, 4, 6, 8], objects: 0),
    Row(scope: .host("A.Example."), takes: [0, 2, 4, 6, 8], objects: 0),
    Row(scope: .host("*.a.example"), takes: [1, 3, 5, 7, 9], objects: 0),
    Row(scope: .host("*.example"), takes: Array(0..<10), objects: 5),
    Row(scope: .host("example"), takes: [], objects: 0),
    Row(scope: .host("*"), takes: [], objects: 0),
    Row(scope: .everything, takes: Array(0..<10), objects: 5),
  ]

  @Test(arguments: rows)
  func `a purge takes out what its scope covers and nothing else`(_ row: Row) async throws {
    let sandbox = try Sandbox()
    let store = await filled(sandbox)
    let result = await store.purge(Purge(row.scope))
    #expect(result == PurgeResult(entries: row.takes.count, objects: row.objects))
    for number in 0..<10 {
      let loaded = await store.load(Sample.key(number))
      #expect((loaded == nil) == row.takes.contains(number), "key \(number)")
    }
    #expect(try sandbox.objects().count == 5 - row.objects)
    await store.close()
  }

  @Test(arguments: rows)
  func `a soft purge marks the same entries stale, once`(_ row: Row) async throws {
    let sandbox = try Sandbox()
    let clock = TestClock()
    await filled(sandbox).close()
    let store = await sandbox.open(clock: clock)
    let first = clock.now
    for _ in 0..<2 {
      let result = await store.purge(Purge(row.scope, soft: true))
      #expect(result == PurgeResult(entries: row.takes.count, objects: 0))
      for number in 0..<10 {
        let loaded = await store.load(Sample.key(number))
        #expect(loaded?.entry.staleSince == (row.takes.contains(number) ? first : nil), "key \(number)")
      }
      clock.advance(by: .seconds(5))
    }
    await store.close()
  }

  @Test(arguments: rows)
  func `a flight that is older than the purge stores nothing that it covers`(_ row: Row) async throws {
    for soft in [false, true] {
      let sandbox = try Sandbox()
      let store = await filled(sandbox)
      let begun = store.epoch()
      _ = await store.purge(Purge(row.scope, soft: soft))
      for number in 0..<10 {
        let host = number.isMultiple(of: 2) ? "a.example" : "b.a.example"
        let sample = Sample(number / 2)
        let outcome = await store.store(sample.entry(number, host: host), object: sample.jpeg, begun: begun)
        #expect(outcome == (row.takes.contains(number) ? .purged : .stored), "key \(number), soft \(soft)")
        #expect(await store.keep(sample, as: number, host: host) == .stored, "a new flight of key \(number)")
      }
      #expect(store.statistics().objects == 5 && store.statistics().entries == 10)
      await store.close()
    }
  }

  @Test func `a purge is told to every store on the directory, and binds their flights`() async throws {
    let sandbox = try Sandbox()
    let first = await filled(sandbox)
    let second = await sandbox.open()
    let (here, there) = (PurgeWitness(), PurgeWitness())
    first.observePurges(here.note)
    second.observePurges(there.note)
    let begun = second.epoch()
    let purges = [
      Purge(.keys([Sample.key(1), Sample.key(2)])), Purge(.object(Sample(3).hash), soft: true),
      Purge(.host("*.a.example")),
      Purge(.everything, soft: true), Purge(.keys([])),
    ]
    for purge in purges { _ = await first.purge(purge) }
    #expect(here.purges == purges, "told before the purge returns")
    let late = Sample(50)
    #expect(await second.store(late.entry(50), object: late.jpeg, begun: begun) == .purged, "even before it was told")
    for purge in purges { await there.wait(for: purge) }
    #expect(there.purges == purges)
    #expect(second.epoch() == first.epoch() && second.epoch() > begun)
    #expect(await second.store(late.entry(50), object: late.jpeg, begun: second.epoch()) == .stored)
    await first.close()
    await second.close()
  }

  @Test func `a purge of many entries goes in steps and is told at its end again`() async throws {
    let sandbox = try Sandbox()
    let store = await sandbox.open()
    let witness = PurgeWitness()
    store.observePurges(witness.note)
    let sample = Sample(1)
    for number in 0..<2500 { _ = await store.keep(sample, as: number, host: "h\(number % 3).example") }
    let result = await store.purge(Purge(.host("*.example")))
    #expect(result == PurgeResult(entries: 2500, objects: 1))
    #expect(witness.purges.first == Purge(.host("*.example")) && witness.purges.last == Purge(.host("*.example")))
    #expect(store.statistics().entries == 0 && store.statistics().objects == 0)
    await store.close()
  }

  @Test func `old purges are forgotten, and a flight older than that stores nothing`() async throws {
    let sandbox = try Sandbox()
    let clock = TestClock()
    let log = EventLog()
    let store = await sandbox.open(clock: clock, log: log)
    let begun = store.epoch()
    _ = await store.purge(Purge(.keys([Sample.key(7)])))
    clock.advance(by: .seconds(3601))
    await store.change { keeper in
      _ = try? keeper.transact { writes throws(StoreFault) in
        try PurgeLog(connection: writes.connection).prune(now: writes.now)
      }
    }
    let sample = Sample(1)
    let outcome = await store.store(sample.entry(1), object: sample.jpeg, begun: begun)
    #expect(outcome == .purged, "\(log.events)")
    #expect(await store.keep(sample, as: 1) == .stored)
    await store.close()
  }

  @Test func `purge numbers go on growing where the index was lost`() async throws {
    let sandbox = try Sandbox()
    let log = EventLog()
    let store = await sandbox.open(log: log)
    for _ in 0..<5 { _ = await store.purge(Purge(.everything)) }
    let before = store.epoch()
    try FileCalls.remove(sandbox.paths.index)
    await log.wait(for: "cache_index_replaced")
    await store.flush()
    _ = await store.purge(Purge(.everything))
    #expect(store.epoch() > before)
    await store.close()
  }

  @Test func `files that a lost index forgot do not survive a purge of everything`() async throws {
    let sandbox = try Sandbox()
    await filled(sandbox).close()
    try FileCalls.remove(sandbox.paths.index)
    let store = await sandbox.open()
    _ = await store.purge(Purge(.everything))
    _ = try await store.verify()
    #expect(try sandbox.objects().isEmpty)
    await store.close()
  }
}
