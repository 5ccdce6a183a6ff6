import AvatarCore
import Testing

@testable import AvatarStore

/// Who has to go when room is short.
@Suite struct EvictionTests {
  /// Room for ten samples of one block each.
  private static let maxBytes = 10 * 4096

  private func keys(_ store: DiskStore) async throws -> [Int] {
    let kept = Set(try await store.all().map(\.entry.key))
    return (0..<200).filter { kept.contains(Sample.key($0)) }
  }

  @Test func `without marks the oldest goes first, with its entries and its file`() async throws {
    let sandbox = try Sandbox()
    let store = await sandbox.open(maxBytes: Self.maxBytes)
    for number in 0..<13 { #expect(await store.keep(Sample(number), as: number) == .stored) }
    #expect(try await keys(store) == Array(3..<13))
    #expect(try sandbox.objects().count == 10 && store.statistics().bytes == Self.maxBytes)
    #expect(store.statistics().evictions == 3)
    await store.close()
  }

  @Test func `what was used stays, and a scan of newcomers does not flush it`() async throws {
    let sandbox = try Sandbox()
    let store = await sandbox.open(maxBytes: Self.maxBytes)
    for number in 0..<10 { _ = await store.keep(Sample(number), as: number) }
    for number in 0..<5 { store.recordUse(Sample.key(number)) }
    await store.flush()
    for number in 100..<115 { _ = await store.keep(Sample(number), as: number) }
    #expect(try await keys(store).filter { $0 < 100 } == Array(0..<5))
    await store.close()
  }

  @Test func `marks and promises are kept through a restart`() async throws {
    let sandbox = try Sandbox()
    let clock = TestClock()
    var store = await sandbox.open(maxBytes: Self.maxBytes, clock: clock)
    for number in 0..<10 { _ = await store.keep(Sample(number), as: number) }
    store.recordUse(Sample.key(0))
    store.pin(Sample(1).hash, until: clock.now + .seconds(60))
    await store.close()
    store = await sandbox.open(maxBytes: Self.maxBytes, clock: clock)
    for number in 100..<108 { _ = await store.keep(Sample(number), as: number) }
    #expect(try await keys(store).filter { $0 < 100 } == [0, 1])
    #expect(try await store.stat().pinned == 1)
    await store.close()
  }

  @Test func `a promised object is passed over until all is promised; then the first promise to end goes`() async throws
  {
    let sandbox = try Sandbox()
    let clock = TestClock()
    let store = await sandbox.open(maxBytes: Self.maxBytes, clock: clock)
    for number in 0..<10 { _ = await store.keep(Sample(number), as: number) }
    for number in 0..<9 { store.pin(Sample(number).hash, until: clock.now + .seconds(100 - number)) }
    for number in 100..<105 { #expect(await store.keep(Sample(number), as: number) == .stored) }
    #expect(try await keys(store) == Array(0..<9) + [104])
    store.pin(Sample(104).hash, until: clock.now + .seconds(1000))
    #expect(await store.keep(Sample(110), as: 110) == .stored)
    #expect(try await keys(store) == Array(0..<8) + [104, 110])
    await store.close()
  }

  @Test func `a promise ends, and an object that lost its entries meanwhile goes with it`() async throws {
    let sandbox = try Sandbox()
    let clock = TestClock()
    let store = await sandbox.open(clock: clock)
    _ = await store.keep(Sample(1), as: 1)
    store.pin(Sample(1).hash, until: clock.now + .seconds(60))
    _ = await store.keep(Sample(2), as: 1)
    #expect(await store.object(Sample(1).hash)?.bytes == Sample(1).jpeg, "promised by its hash")
    clock.advance(by: .seconds(61))
    await store.flush()
    #expect(await store.object(Sample(1).hash) == nil)
    #expect(await store.object(Sample(2).hash)?.bytes == Sample(2).jpeg)
    await store.close()
  }

  @Test func `what was taken down goes although it was promised`() async throws {
    let sandbox = try Sandbox()
    let clock = TestClock()
    let store = await sandbox.open(clock: clock)
    _ = await store.keep(Sample(1), as: 1)
    store.pin(Sample(1).hash, until: clock.now + .seconds(60))
    await store.flush()
    await store.remove(Sample.key(1))
    #expect(await store.object(Sample(1).hash) == nil)
    #expect(try sandbox.objects().isEmpty)
    await store.close()
  }

  @Test func `a lowered limit holds soon after the start`() async throws {
    let sandbox = try Sandbox()
    let first = await sandbox.open()
    for number in 0..<30 { _ = await first.keep(Sample(number), as: number) }
    await first.close()
    let store = await sandbox.open(maxBytes: Self.maxBytes)
    await store.change { keeper in keeper.tick() }
    #expect(store.statistics().bytes == Self.maxBytes && store.statistics().evictions == 20)
    #expect(try sandbox.objects().count == 10)
    await store.close()
  }

  @Test func `many writers at once never pass the limit`() async throws {
    let sandbox = try Sandbox()
    let store = await sandbox.open(maxBytes: Self.maxBytes)
    let other = await sandbox.open(maxBytes: Self.maxBytes)
    await withTaskGroup(of: Void.self) { group in
      for lane in 0..<8 {
        group.addTask {
          for number in 0..<25 {
            let outcome = await (lane.isMultiple(of: 2) ? store : other).keep(
              Sample(lane * 25 + number), as: lane * 25 + number)
            #expect(outcome == .stored, "\(lane) \(number)")
            let used = await store.allocatedBytes(in: sandbox)
            #expect(used <= Self.maxBytes, "\(used) bytes")
          }
        }
      }
    }
    let counts = try await store.verify()
    #expect(counts.missing == 0 && counts.damaged == 0 && counts.adopted == 0, "\(counts)")
    #expect(counts.sound == 10)
    await store.close()
    await other.close()
  }
}
