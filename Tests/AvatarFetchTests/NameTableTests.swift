import AvatarCore
import Testing

@testable import AvatarFetch

@Suite("Name table") struct NameTableTests {
  private let start = ContinuousClock.now
  private let one: [IPAddress] = [.v4(0x7F00_0002)]

  @Test func `everyone who asks for one name waits for one look-up`() {
    let table = Table(lookups: 8)
    #expect(table.ask("a.test", for: 1, now: start) == .pending)
    #expect(table.ask("a.test", for: 2, now: start) == .pending)
    #expect(table.nextLookup() == "a.test")
    #expect(table.ask("a.test", for: 3, now: start) == .pending)
    #expect(table.nextLookup() == nil)
    #expect(table.finish("a.test", .found(one), now: start) == [1, 2, 3])
    #expect(table.ask("a.test", for: 4, now: start) == .known(one))
  }

  @Test func `an answer is used for its lifetime and not longer`() {
    let table = Table(lookups: 8)
    _ = table.ask("a.test", for: 1, now: start)
    _ = table.nextLookup()
    _ = table.finish("a.test", .found(one), now: start)
    let end = start + NameTable<Int>.lifetime
    #expect(table.ask("a.test", for: 2, now: end - .milliseconds(1)) == .known(one))
    #expect(table.ask("a.test", for: 2, now: end) == .pending)
  }

  @Test func `a failure is not remembered, and a forgotten name is asked for again`() {
    let table = Table(lookups: 8)
    _ = table.ask("a.test", for: 1, now: start)
    _ = table.nextLookup()
    #expect(table.finish("a.test", .failed(-2), now: start) == [1])
    #expect(table.ask("a.test", for: 1, now: start) == .pending)
    _ = table.nextLookup()
    _ = table.finish("a.test", .found(one), now: start)
    table.forget("a.test")
    #expect(table.ask("a.test", for: 1, now: start) == .pending)
  }

  @Test func `a silent zone holds at most a quarter of the look-ups`() {
    let table = Table(lookups: 32)
    for index in 0..<100 { _ = table.ask("h\(index).silent.test", for: index, now: start) }
    var started = 0
    while table.nextLookup() != nil { started += 1 }
    #expect(started == 8)
    #expect(table.ask("www.other.example", for: 1000, now: start) == .pending)
    #expect(table.nextLookup() == "www.other.example")
  }

  @Test func `a look-up that nobody waits for any more does not begin`() {
    let table = Table(lookups: 4)
    _ = table.ask("a.test", for: 1, now: start)
    _ = table.ask("a.test", for: 2, now: start)
    #expect(!table.abandon("a.test", by: 1))
    #expect(!table.abandon("a.test", by: 2))
    #expect(table.nextLookup() == nil)
    _ = table.ask("a.test", for: 3, now: start)
    #expect(table.nextLookup() == "a.test")
    #expect(table.abandon("a.test", by: 3))
    #expect(table.finish("a.test", .found(one), now: start) == [])
    #expect(table.ask("a.test", for: 4, now: start) == .known(one))
  }

  @Test func `the oldest names make room`() {
    let table = Table(lookups: 4, capacity: 3)
    for name in ["a.a", "b.b", "c.c", "d.d"] {
      _ = table.ask(name, for: 1, now: start)
      _ = table.nextLookup()
      _ = table.finish(name, .found(one), now: start)
    }
    #expect(table.ask("a.a", for: 1, now: start) == .pending)
    #expect(table.ask("d.d", for: 1, now: start) == .known(one))
  }

  @Test(arguments: ["localhost", "localhost.", "x.localhost", "a.b.localhost."])
  func `names that are loopback by definition are asked of nobody`(name: String) {
    let table = Table(lookups: 4)
    #expect(table.ask(name, for: 1, now: start) == .known([.v4(0x7F00_0001), .v6(high: 0, low: 1)]))
  }

  @Test(arguments: ["localhost.example", "xlocalhost"]) func `names that only look like loopback are looked up`(
    name: String
  ) {
    let table = Table(lookups: 4)
    #expect(table.ask(name, for: 1, now: start) == .pending)
  }
}

/// The table by reference: an expectation cannot call what changes a value.
private final class Table {
  private var value: NameTable<Int>
  init(lookups: Int, capacity: Int = 100) { value = NameTable(lookups: lookups, capacity: capacity) }
  func ask(_ name: String, for waiter: Int, now: ContinuousClock.Instant) -> NameTable<Int>.Answer {
    value.ask(name, for: waiter, now: now)
  }
  func nextLookup() -> String? { value.nextLookup() }
  func finish(_ name: String, _ outcome: LookupOutcome, now: ContinuousClock.Instant) -> Set<Int> {
    value.finish(name, outcome, now: now)
  }
  func abandon(_ name: String, by waiter: Int) -> Bool { value.abandon(name, by: waiter) }
  func forget(_ name: String) { value.forget(name) }
}
