import AvatarCore
import AvatarNames
import Testing

@testable import AvatarFetch

@Suite("Redirects") struct RedirectTests {
  private static func redirect(_ location: String, _ status: Int = 302) -> [RawOrigin.Step] {
    [.send(answer("\(status) x", ["Location: \(location)"], text("a body of its own")))]
  }

  /// Answers `/chain/N` with N redirects.
  private static func chain(_ seen: RawOrigin.Seen) -> [RawOrigin.Step] {
    let left = Int(seen.target.split(separator: "/").last ?? "") ?? 0
    return left > 0 ? redirect("/chain/\(left - 1)") : [.send(answer())]
  }

  @Test(arguments: [301, 302, 303, 307, 308]) func `are followed`(status: Int) async throws {
    let origin = try RawOrigin { $0.target == "/a" ? Self.redirect("/b?x=%2F#part", status) : [.send(answer())] }
    let fetcher = try makeFetcher()
    let response = try await fetcher.fetch(OriginRequest(url: origin.url("/a")))
    #expect(response.source.bytes == picture && response.redirects == 1)
    #expect(response.finalURL == (try origin.url("/b?x=%2F")))
    #expect(origin.seen.map(\.target) == ["/a", "/b?x=%2F"])
    #expect(origin.connections == 1, "the connection is used again")
    fetcher.close()
  }

  @Test(arguments: [
    ("img", "/d/img"), ("../img", "/img"), ("/a/./../img", "/img"), ("?x", "/d/e?x"), ("/a b", "/a%20b"),
    ("/bl\u{E5}", "/bl%C3%A5"),
  ]) func `relative ones are resolved by the rules of section 3`(location: String, target: String) async throws {
    let origin = try RawOrigin { $0.target == "/d/e" ? Self.redirect(location) : [.send(answer())] }
    let fetcher = try makeFetcher()
    _ = try await fetcher.fetch(OriginRequest(url: origin.url("/d/e")))
    #expect(origin.seen.last?.target == target, "\(location)")
    fetcher.close()
  }

  @Test(arguments: [(0, 0), (0, 1), (3, 3), (3, 4), (1, 2)]) func `end at the bound`(bound: Int, hops: Int) async throws
  {
    let origin = try RawOrigin { Self.chain($0) }
    let fetcher = try makeFetcher { $0.maxRedirects = bound }
    #expect(
      await fetcher.code(try origin.url("/chain/\(hops)")) == (hops > bound ? .originRedirect : nil),
      "\(hops) of \(bound)")
    #expect(origin.seen.count == min(hops, bound) + 1)
    fetcher.close()
  }

  @Test(arguments: [
    ("/self", AvatarError.Code.originRedirect), ("", .originRedirect), ("file:///etc/passwd", .originRedirect),
    ("ftp://127.0.0.2/x", .originRedirect), ("gopher://127.0.0.2:11211/_x", .originRedirect),
    ("data:image/png;base64,iVBORw0KGgo=", .originRedirect), ("javascript:alert(1)", .originRedirect),
    ("http://user:pass@127.0.0.2/", .originRedirect), ("http://2130706433/", .originRedirect),
    ("http://10.0.0.1/", .addressNotAllowed), ("//127.0.0.9/trap", .addressNotAllowed),
    ("http://[::ffff:127.0.0.9]/", .addressNotAllowed), ("http://localhost/", .addressNotAllowed),
    ("http://denied.test/", .hostNotAllowed), ("http://nowhere.test/", .originUnreachable),
    ("http://private.test/", .addressNotAllowed),
  ]) func `lead nowhere that the first URL could not`(location: String, want: AvatarError.Code) async throws {
    let origin = try RawOrigin { _ in Self.redirect(location) }
    let denied = try #require(HostPattern("denied.test"))
    let lookup = TableLookup(table: ["private.test": ["10.1.2.3"], "denied.test": ["127.0.0.2"]])
    let fetcher = try makeFetcher(lookup) { $0.hosts = HostPolicy(denying: [denied]) }
    #expect(await fetcher.code(try origin.url("/self")) == want, "\(location)")
    fetcher.close()
  }

  @Test func `carry secrets only to the hosts that they are for`() async throws {
    let second = try RawOrigin("127.0.0.3", steps: [.send(answer())])
    let first = try RawOrigin { [port = second.port] _ in Self.redirect("http://b.test:\(port)/x") }
    let fetcher = try makeFetcher(TableLookup(table: ["a.test": ["127.0.0.2"], "b.test": ["127.0.0.3"]])) {
      guard let pattern = HostPattern("a.test") else { return }
      let fields = [
        HeaderField("Authorization", "Bearer secret"), HeaderField("user-agent", "special"), HeaderField("X-Empty", ""),
      ]
      $0.headers = [.init(hosts: pattern, fields: fields)]
    }
    _ = try await fetcher.fetch(OriginRequest(url: first.url("/", name: "a.test")))
    let asked = try #require(first.seen.first)
    #expect(asked.field("Authorization") == "Bearer secret" && asked.field("User-Agent") == "special")
    #expect(asked.field("X-Empty") == "" && asked.field("Host") == "a.test:\(first.port)")
    let leaked = try #require(second.seen.first)
    #expect(
      leaked.field("Authorization") == nil && leaked.field("User-Agent") == "avatar-server/test", "\(leaked.lines)")
    fetcher.close()
  }

  @Test func `share one time bound`() async throws {
    let origin = try RawOrigin { $0.target == "/a" ? Self.redirect("/b") : [.hang] }
    let fetcher = try makeFetcher { $0.totalTimeout = .milliseconds(300) }
    #expect(await fetcher.code(try origin.url("/a")) == .originTimedOut)
    fetcher.close()
  }

  @Test func `that hang after their header are followed all the same`() async throws {
    let origin = try RawOrigin { seen in
      seen.target == "/a"
        ? [.send(text("HTTP/1.1 302 x\r\nLocation: /b\r\nContent-Length: 50\r\n\r\n")), .hang] : [.send(answer())]
    }
    let fetcher = try makeFetcher()
    #expect(try await fetcher.fetch(OriginRequest(url: origin.url("/a"))).source.bytes == picture)
    fetcher.close()
  }

  @Test func `to another host wait their turn there`() async throws {
    let second = try RawOrigin("127.0.0.3", steps: [.hang])
    let first = try RawOrigin { [port = second.port] _ in Self.redirect("http://127.0.0.3:\(port)/x") }
    let fetcher = try makeFetcher { $0.perHostConcurrency = 2 }
    let url = try first.url()
    let fetches = Task { await withTaskGroup { group in for _ in 0..<6 { group.addTask { await fetcher.code(url) } } } }
    // Two run before the second origin has accepted them.
    #expect(
      await eventually {
        first.seen.count == 6 && fetcher.statistics.running == 2 && fetcher.statistics.waiting == 4
          && second.mostInFlight > 0 && second.seen.count == 2
      })
    #expect(second.mostInFlight == 2)
    fetcher.close()
    await fetches.value
  }
}
