import AvatarCore
import AvatarNames
import Testing

@testable import AvatarFetch

@Suite("Look-ups") struct LookupTests {
  @Test func `that hang stall nobody else`() async throws {
    let origin = try RawOrigin(steps: [.send(answer("200 OK", ["Connection: close"])), .close])
    let latch = Latch()
    let lookup = TableLookup(
      table: ["known.test": ["127.0.0.2"], "fresh.example": ["127.0.0.2"]], silent: { $0.hasSuffix(".silent.test") },
      latch: latch)
    let fetcher = try makeFetcher(lookup) { $0.connectTimeout = .seconds(15) }
    #expect(await fetcher.code(try origin.url("/", name: "known.test")) == nil)
    let urls = try (0..<300).map { try origin.url("/", name: "h\($0).silent.test") }
    let hanging = Task {
      await withTaskGroup(of: AvatarError.Code?.self) { group in
        for url in urls { group.addTask { await fetcher.code(url) } }
        return await group.reduce(into: [AvatarError.Code?]()) { $0.append($1) }
      }
    }
    #expect(await eventually { fetcher.statistics.waiting == 300 && fetcher.statistics.lookups == 8 })
    for name in ["known.test", "fresh.example", "127.0.0.2"] {
      #expect(await fetcher.code(try origin.url("/", name: name)) == nil, "\(name)")
    }
    #expect(
      await eventually { fetcher.statistics.waiting == 300 && fetcher.statistics.running == 0 },
      "a look-up holds no slot")
    latch.open()
    #expect(await hanging.value.allSatisfy { $0 == .originUnreachable })
    fetcher.close()
  }

  @Test func `that take too long are the origin's time-out, those that never began are overload`() async throws {
    let origin = try RawOrigin(steps: [.send(answer())])
    let latch = Latch()
    let fetcher = try makeFetcher(TableLookup(silent: { _ in true }, latch: latch)) {
      $0.connectTimeout = .milliseconds(200)
      $0.lookups = 4
    }
    async let began = fetcher.code(try origin.url("/", name: "a.zone.test"))
    #expect(await eventually { fetcher.statistics.lookups == 1 })
    async let same = fetcher.code(try origin.url("/", name: "a.zone.test"))
    async let behind = fetcher.code(try origin.url("/", name: "b.zone.test"))
    #expect(try await began == .originTimedOut)
    #expect(try await same == .originTimedOut)
    #expect(try await behind == .overloaded)
    latch.open()
    fetcher.close()
  }

  @Test func `a fetch in time gets an answer that came late for others`() async throws {
    let origin = try RawOrigin(steps: [.send(answer())])
    let latch = Latch()
    let lookup = TableLookup(table: ["slow.test": ["127.0.0.2"]], silent: { _ in true }, latch: latch)
    let fetcher = try makeFetcher(lookup) { $0.connectTimeout = .milliseconds(150) }
    let url = try origin.url("/", name: "slow.test")
    #expect(await fetcher.code(url) == .originTimedOut)
    latch.open()
    #expect(await eventually { fetcher.statistics.lookups == 0 })
    #expect(await fetcher.code(url) == nil)
    fetcher.close()
  }

  @Test(arguments: ["localhost", "127.0.0.1"]) func `the system's resolver gives addresses in our form`(name: String) {
    guard case .found(let addresses) = SystemLookup(patience: .seconds(1)).addresses(of: name) else {
      Issue.record("\(name) is not found")
      return
    }
    #expect(addresses.contains(.v4(0x7F00_0001)) || addresses.contains(.v6(high: 0, low: 1)), "\(addresses)")
  }
}
