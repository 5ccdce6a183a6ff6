import AvatarCore
import AvatarNames
import Foundation
import Testing

@testable import AvatarFetch

@Suite("Hosts and addresses") struct AddressTests {
  @Test(arguments: [
    "http://127.0.0.9:P/", "http://10.0.0.1/", "http://0.0.0.0:P/", "http://169.254.169.254/", "http://[::1]:P/",
    "http://[::ffff:127.0.0.9]:P/", "http://[::ffff:7f00:9]/", "http://[64:ff9b::7f00:9]/", "http://[2002:7f00:9::]/",
    "http://[fd00::1]/", "http://localhost:P/", "http://LOCALHOST.:P/", "http://x.localhost:P/",
    "http://private.test:P/",
    "http://mapped.test:P/", "http://all-refused.test:P/",
  ]) func `that are refused get no connection`(template: String) async throws {
    let trap = try RawOrigin("127.0.0.9", steps: [.send(answer())])
    let lookup = TableLookup(table: [
      "private.test": ["127.0.0.9"], "mapped.test": ["::ffff:127.0.0.9"],
      "all-refused.test": ["127.0.0.9", "::1", "10.0.0.1"],
    ])
    let fetcher = try makeFetcher(lookup)
    let url = try SourceURL(
      parsing: template.split(separator: ":P").joined(separator: ":\(trap.port)"), names: IDN2Names())
    #expect(await fetcher.code(url) == .addressNotAllowed, "\(url.serialized)")
    #expect(trap.connections == 0, "\(url.serialized)")
    #expect(await eventually { fetcher.statistics.addressesRefused > 0 })
    fetcher.close()
  }

  @Test func `the socket has the last word, whatever led to it`() {
    let options = FetchOptions(userAgent: "x")
    let sink = AnswerSink(options: options, clock: StoppedClock())
    #expect(!sink.admits(.v4(0x7F00_0001)))
    #expect(sink.admits(.v4(0x0808_0808)))
    #expect(sink.refused.map(\.address) == [.v4(0x7F00_0001)] && sink.admitted == [.v4(0x0808_0808)])
    var proxied = options
    proxied.proxy = "http://127.0.0.1:3128"
    #expect(
      AnswerSink(options: proxied, clock: StoppedClock()).admits(.v4(0x7F00_0001)), "the operator chose the proxy")
  }

  @Test func `libcurl gets no socket to a refused address even if it is told of one`() async throws {
    let trap = try RawOrigin("127.0.0.9", steps: [.send(answer())])
    let url = try trap.url("/", name: "told.test")
    let options = try testOptions()
    let (code, refused) = await withCheckedContinuation {
      (continuation: CheckedContinuation<(UInt32, [IPAddress]), Never>) in
      let began = NamedThread.start("test-curl") {
        continuation.resume(
          returning: (try? Self.performAlone(url, [.v4(0x7F00_0009), .v4(0x7F00_0001)], options)) ?? (0, []))
      }
      if !began { continuation.resume(returning: (0, [])) }
    }
    #expect(code == CurlCode.couldNotConnect)
    #expect(refused == [.v4(0x7F00_0009), .v4(0x7F00_0001)])
    #expect(trap.connections == 0)
  }

  /// One hop with addresses that nobody judged before.
  private static func performAlone(
    _ url: SourceURL, _ addresses: [IPAddress], _ options: FetchOptions
  ) throws(AvatarError) -> (UInt32, [IPAddress]) {
    let multi = try CurlMulti(connections: 1)
    let easy = try CurlEasy(options: options, clock: StoppedClock(), book: multi.book)
    try easy.prepare(Hop(url: url, addresses: addresses, fields: [], timeout: .seconds(5), connectTimeout: .seconds(5)))
    guard multi.add(easy) else { throw AvatarError(.internalFault) }
    while true {
      multi.perform()
      if let (_, code) = multi.nextFinished() { return (code, easy.sink.refused.map(\.address)) }
      multi.wait(milliseconds: 100)
    }
  }

  @Test func `a refused address beside an allowed one is left out`() async throws {
    let origin = try RawOrigin(steps: [.send(answer())])
    let fetcher = try makeFetcher(TableLookup(table: ["mixed.test": ["10.0.0.1", "::1", "127.0.0.2"]]))
    #expect(try await fetcher.fetch(OriginRequest(url: origin.url("/", name: "mixed.test"))).source.bytes == picture)
    #expect(origin.seen.first?.field("Host") == "mixed.test:\(origin.port)")
    fetcher.close()
  }

  @Test func `an allowed address that does not answer is unreachable, and the next one is tried`() async throws {
    let origin = try RawOrigin("127.0.0.3", steps: [.send(answer())])
    let fetcher = try makeFetcher(
      TableLookup(table: ["half.test": ["127.0.0.2", "127.0.0.3"], "down.test": ["10.0.0.1", "127.0.0.2"]]))
    #expect(try await fetcher.fetch(OriginRequest(url: origin.url("/", name: "half.test"))).source.bytes == picture)
    #expect(await fetcher.code(try origin.url("/", name: "down.test")) == .originUnreachable)
    fetcher.close()
  }

  @Test(arguments: ["plain.test", "dotted.test.", "xn--bcher-kva.test"]) func `a name is asked for once and then known`(
    name: String
  ) async throws {
    let origin = try RawOrigin(steps: [.send(answer("200 OK", ["Connection: close"])), .close])
    let asked = Tally()
    let lookup = CountingLookup(answer: [.v4(0x7F00_0002)], tally: asked)
    let fetcher = try makeFetcher(lookup)
    for _ in 0..<3 {
      #expect(try await fetcher.fetch(OriginRequest(url: origin.url("/", name: name))).source.bytes == picture)
    }
    #expect(asked.names == [name])
    fetcher.close()
  }

  @Test func `an answer that changes is judged anew, and what was judged is what is connected to`() async throws {
    let trap = try RawOrigin("127.0.0.9", steps: [.send(answer())])
    let fetcher = try makeFetcher(RebindingLookup(answers: [.v4(0x7F00_0002), .v4(0x7F00_0009)], tally: Tally()))
    // Nobody listens on .2 at that port: the failed connection makes the name be asked for again.
    #expect(await fetcher.code(try trap.url("/", name: "rebind.test")) == .originUnreachable)
    #expect(await fetcher.code(try trap.url("/", name: "rebind.test")) == .addressNotAllowed)
    #expect(trap.connections == 0)
    fetcher.close()
  }

  @Test func `host rules come before any look-up`() async throws {
    let asked = Tally()
    let allowed = try #require(HostPattern("*.good.test"))
    let fetcher = try makeFetcher(CountingLookup(answer: [.v4(0x7F00_0002)], tally: asked)) {
      $0.hosts = HostPolicy(allowing: [allowed])
    }
    #expect(await fetcher.code(try SourceURL(parsing: "http://bad.test/", names: IDN2Names())) == .hostNotAllowed)
    #expect(asked.names.isEmpty)
    fetcher.close()
  }

  @Test func `the environment's proxy is not used, the operator's is`() async throws {
    setenv("http_proxy", "http://127.0.0.9:1", 1)
    setenv("ALL_PROXY", "http://127.0.0.9:1", 1)
    setenv("no_proxy", "*", 1)
    defer { for name in ["http_proxy", "ALL_PROXY", "no_proxy"] { unsetenv(name) } }
    let origin = try RawOrigin(steps: [.send(answer())])
    let direct = try makeFetcher()
    #expect(try await direct.fetch(OriginRequest(url: origin.url("/x"))).source.bytes == picture)
    #expect(origin.seen.last?.target == "/x")
    direct.close()

    let proxied = try makeFetcher { $0.proxy = "http://127.0.0.2:\(origin.port)" }
    let url = try SourceURL(parsing: "http://only-the-proxy-knows.test/y", names: IDN2Names())
    #expect(try await proxied.fetch(OriginRequest(url: url)).source.bytes == picture)
    #expect(origin.seen.last?.target == "http://only-the-proxy-knows.test/y")
    let literal = try SourceURL(parsing: "http://10.0.0.1/", names: IDN2Names())
    #expect(await proxied.code(literal) == .addressNotAllowed)
    let tunnelled = try SourceURL(parsing: "https://only-the-proxy-knows.test/", names: IDN2Names())
    #expect(await proxied.code(tunnelled) != nil)
    proxied.close()
  }
}

private struct CountingLookup: NameLookup {
  var answer: [IPAddress]
  var tally: Tally
  func addresses(of name: String) -> LookupOutcome {
    _ = tally.add(name)
    return .found(answer)
  }
}

private struct RebindingLookup: NameLookup {
  var answers: [IPAddress]
  var tally: Tally
  func addresses(of name: String) -> LookupOutcome { .found([answers[min(tally.add(name), answers.count) - 1]]) }
}
