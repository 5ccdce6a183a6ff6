import AvatarCore
import AvatarNames
import Testing

@testable import AvatarFetch

@Suite("Limits of time and number") struct LimitTests {
  /// Ways to keep a caller waiting, and whether `idleTimeout` alone ends them.
  private static let delays: [(name: String, steps: [RawOrigin.Step], idleEnds: Bool)] = [
    ("nothing at all", [.hang], false),
    (
      "a drip of header bytes", [.send(text("HTTP/1.1 200 OK\r\nX: ")), .repeatForever([0x70], pauseMilliseconds: 20)],
      false
    ),
    ("nothing after the header", [.send(text("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n")), .hang], true),
    ("nothing after half of the body", [.send(text("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nabc")), .hang], true),
    (
      "a drip of body bytes",
      [.send(text("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n")), .repeatForever([0x70], pauseMilliseconds: 20)],
      false
    ),
  ]

  @Test(arguments: 0..<5) func `the whole of an exchange is bounded`(index: Int) async throws {
    let (name, steps, _) = Self.delays[index]
    let origin = try RawOrigin(steps: steps)
    let fetcher = try makeFetcher { $0.totalTimeout = .milliseconds(300) }
    #expect(await fetcher.code(try origin.url()) == .originTimedOut, "\(name)")
    #expect(await eventually { fetcher.statistics.running == 0 }, "\(name): the slot is free again")
    fetcher.close()
  }

  @Test(arguments: 0..<5) func `silence in a body is bounded by itself`(index: Int) async throws {
    let (name, steps, idleEnds) = Self.delays[index]
    let origin = try RawOrigin(steps: steps)
    let fetcher = try makeFetcher { $0.idleTimeout = .milliseconds(200) }
    async let code = fetcher.code(try origin.url())
    if !idleEnds {
      // These are not silent, or have not begun: they go on until something else ends them.
      #expect(await eventually { origin.mostInFlight == 1 })
      let marker = try RawOrigin(
        "127.0.0.3", steps: [.send(text("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n")), .hang])
      #expect(await fetcher.code(try marker.url()) == .originTimedOut)
      #expect(fetcher.statistics.running >= 1, "\(name) ended with what began after it")
      fetcher.close()
      #expect(try await code == .overloaded, "\(name)")
    } else {
      #expect(try await code == .originTimedOut, "\(name)")
      fetcher.close()
    }
  }

  @Test func `a host gets its share and the others are not held up`() async throws {
    let slow = try RawOrigin(steps: [.hang])
    let healthy = try RawOrigin("127.0.0.3", steps: [.send(answer())])
    let hosts = (0..<16).map { "slow\($0).zone\($0).test" }
    let lookup = TableLookup(table: Dictionary(uniqueKeysWithValues: hosts.map { ($0, ["127.0.0.2"]) }))
    let fetcher = try makeFetcher(lookup)
    let urls = try hosts.map { try slow.url("/", name: $0) }
    let hanging = Task {
      await withTaskGroup(of: AvatarError.Code?.self) { group in
        for url in urls { for _ in 0..<40 { group.addTask { await fetcher.code(url) } } }
        return await group.reduce(into: [AvatarError.Code?]()) { $0.append($1) }
      }
    }
    #expect(await eventually { fetcher.statistics.running > 200 && fetcher.statistics.waiting > 300 })
    for _ in 0..<20 { #expect(try await fetcher.fetch(OriginRequest(url: healthy.url())).source.bytes == picture) }
    #expect(fetcher.statistics.running <= 256)
    fetcher.close()
    let codes = await hanging.value
    #expect(codes.count == 640 && codes.allSatisfy { $0 == .overloaded }, "each waited until the end")
  }

  @Test func `one host never sees more than its bound`() async throws {
    let origin = try RawOrigin(steps: [.send(answer("200 OK", ["Connection: close"])), .close])
    let fetcher = try makeFetcher { $0.perHostConcurrency = 3 }
    let url = try origin.url()
    let codes = await withTaskGroup(of: AvatarError.Code?.self) { group in
      for _ in 0..<60 { group.addTask { await fetcher.code(url) } }
      return await group.reduce(into: [AvatarError.Code?]()) { $0.append($1) }
    }
    #expect(codes.count == 60 && codes.allSatisfy { $0 == nil })
    #expect(origin.mostInFlight <= 3)
    fetcher.close()
  }

  @Test func `waiting behind one's own host is the host's time-out, behind others' it is overload`() async throws {
    let slow = try RawOrigin(steps: [.hang])
    let other = try RawOrigin("127.0.0.3", steps: [.hang])
    let fetcher = try makeFetcher {
      $0.totalTimeout = .milliseconds(400)
      $0.concurrency = 2
      $0.perHostConcurrency = 1
    }
    let (slowURL, otherURL) = (try slow.url(), try other.url())
    async let first = fetcher.outcome(slowURL)
    async let second = fetcher.outcome(otherURL)
    #expect(await eventually { slow.mostInFlight == 1 && other.mostInFlight == 1 })
    async let own = fetcher.outcome(slowURL)
    let third = try SourceURL(parsing: "http://localhost.example.test/", names: IDN2Names())
    #expect(await fetcher.code(third) == .originUnreachable, "an unknown name needs no slot")
    #expect(await own.code == .originTimedOut)
    #expect(await first.code == .originTimedOut)
    #expect(await second.code == .originTimedOut)
    fetcher.close()
  }

  @Test func `a full queue sheds at once`() async throws {
    let origin = try RawOrigin(steps: [.hang])
    let fetcher = try makeFetcher {
      $0.perHostConcurrency = 1
      $0.queue = 4
    }
    let url = try origin.url()
    let hanging = Task {
      await withTaskGroup(of: AvatarError.Code?.self) { group in
        for _ in 0..<3 { group.addTask { await fetcher.code(url) } }
        return await group.reduce(into: [AvatarError.Code?]()) { $0.append($1) }
      }
    }
    #expect(await eventually { fetcher.statistics.running == 1 && fetcher.statistics.waiting == 2 })
    let shed = await fetcher.outcome(url).error
    #expect(shed?.code == .overloaded && shed?.retryAfter == .seconds(1))
    #expect(await eventually { fetcher.statistics.shed == 1 })
    let healthy = try RawOrigin("127.0.0.3", steps: [.send(answer())])
    #expect(await fetcher.code(try healthy.url()) == nil, "another host still has a place")
    fetcher.close()
    #expect(await hanging.value.allSatisfy { $0 == .overloaded })
  }

  @Test func `closing ends what is on its way and refuses what comes after`() async throws {
    let origin = try RawOrigin(steps: [.hang])
    let fetcher = try makeFetcher(TableLookup(silent: { _ in true }))
    async let running = fetcher.code(try origin.url())
    async let lookingUp = fetcher.code(try origin.url("/", name: "silent.test"))
    #expect(await eventually { origin.mostInFlight == 1 && fetcher.statistics.lookups == 1 })
    fetcher.close()
    #expect(try await running == .overloaded)
    #expect(try await lookingUp == .overloaded)
    #expect(await fetcher.code(try origin.url()) == .overloaded)
    fetcher.close()
  }

  @Test func `an option that could not go out as it is stops the start`() throws {
    #expect(throws: AvatarError.self) { try makeFetcher { $0.userAgent = "a\r\nb" } }
    #expect(throws: AvatarError.self) {
      try makeFetcher {
        guard let pattern = HostPattern("a.test") else { return }
        $0.headers = [.init(hosts: pattern, fields: [HeaderField("X Y", "1")])]
      }
    }
  }
}
