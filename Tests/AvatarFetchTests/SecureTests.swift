import AvatarCore
import AvatarNames
import Synchronization
import Testing

@testable import AvatarFetch

@Suite("TLS and HTTP/2") struct SecureTests {
  private static let lookup = TableLookup(table: ["secure.test": ["127.0.0.2"]])

  private static func fetcher(_ server: WebServer) throws -> CurlFetcher {
    try makeFetcher(lookup) { $0.certificateAuthorities = server.authority }
  }

  @Test func `only an origin that proves its name over TLS 1.2 or later is talked to`() async throws {
    let server = try await WebServer()
    defer { server.stop() }
    let fetcher = try Self.fetcher(server)
    defer { fetcher.close() }
    for site in WebServer.Site.allCases {
      let url = try SourceURL(parsing: server.url(site), names: IDN2Names())
      let isGood = [.good, .plain].contains(site)
      #expect(await fetcher.code(url) == (isGood ? nil : .originTLSFailed), "\(site)")
    }
    let system = try makeFetcher(Self.lookup)
    let url = try SourceURL(parsing: server.url(.good), names: IDN2Names())
    #expect(await system.code(url) == .originTLSFailed, "the system's authorities do not know this one")
    system.close()
  }

  @Test func `many exchanges share one HTTP2 connection, redirects too`() async throws {
    let server = try await WebServer()
    defer { server.stop() }
    let fetcher = try Self.fetcher(server)
    defer { fetcher.close() }
    let url = try SourceURL(parsing: server.url(.good, "/moved"), names: IDN2Names())
    _ = try await fetcher.fetch(OriginRequest(url: url))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<40 {
        group.addTask {
          let response = try await fetcher.fetch(OriginRequest(url: url))
          #expect(response.source.bytes == picture && response.redirects == 1)
        }
      }
      try await group.waitForAll()
    }
    #expect(await eventually { fetcher.statistics.hops == 82 })
    #expect(fetcher.statistics.connectionsOpened == 1)
  }

  @Test func `bytes that follow an answer within TLS never become another`() async throws {
    let server = try await WebServer()
    defer { server.stop() }
    let head = Array(answer().dropLast(picture.count))
    let origin = try RawOrigin { seen in
      seen.target == "/trail"
        ? [.send(head), .send(picture + answer("200 OK", [], text("smuggled")))] : [.send(answer())]
    }
    let (base, process) = try await server.wrap(origin)
    defer { process.terminate() }
    let fetcher = try Self.fetcher(server)
    defer { fetcher.close() }
    for path in ["/trail", "/next", "/next", "/trail", "/next"] {
      let url = try SourceURL(parsing: base + path, names: IDN2Names())
      #expect(try await fetcher.fetch(OriginRequest(url: url)).source.bytes == picture, "\(path)")
    }
    #expect(origin.connections == 3, "only the clean connection is used again")
  }

  @Test func `a trace tells addresses, connection, session, answer and body, and no secret`() async throws {
    let server = try await WebServer()
    defer { server.stop() }
    let pattern = try #require(HostPattern("secure.test"))
    let fetcher = try makeFetcher(TableLookup(table: ["secure.test": ["10.9.8.7", "127.0.0.2"]])) {
      $0.certificateAuthorities = server.authority
      $0.headers = [.init(hosts: pattern, fields: [HeaderField("Authorization", "Bearer hush")])]
    }
    defer { fetcher.close() }
    let steps = Mutex<[FetchStep]>([])
    let url = try SourceURL(parsing: server.url(.good, "/moved?token=hush"), names: IDN2Names())
    for _ in 0..<2 {
      steps.withLock { $0 = [] }
      _ = try await fetcher.fetch(OriginRequest(url: url, trace: { step in steps.withLock { $0.append(step) } }))
    }
    let seen = steps.withLock { $0 }
    #expect(seen.map(\.kind) == ["address", "address", "connect", "tls", "hop", "connect", "tls", "hop", "body"])
    let facts = seen.map { step in step.facts.map { "\($0.name)=\($0.value)" } }
    #expect(facts[0].contains("verdict=refused: private"), "\(facts[0])")
    #expect(facts[1].contains("address=127.0.0.2") && facts[1].contains("verdict=allowed"), "\(facts[1])")
    #expect(facts[2].contains("connection=new") && facts[2].contains("address=127.0.0.2"), "\(facts[2])")
    #expect(facts[3].contains { $0.hasPrefix("session=TLSv1.3 / ") }, "\(facts[3])")
    #expect(facts[3].contains { $0.hasPrefix("subject=") && $0.contains("secure.test") }, "\(facts[3])")
    #expect(facts[3].contains { $0.hasPrefix("expire date=") }, "\(facts[3])")
    #expect(facts[4].contains("status=302") && facts[4].contains("version=HTTP/2"), "\(facts[4])")
    #expect(facts[4].contains { $0.hasPrefix("location=https://secure.test") }, "\(facts[4])")
    #expect(facts[7].contains("status=200") && facts[7].contains("content-length=\(picture.count)"), "\(facts[7])")
    #expect(facts[8] == ["bytes=\(picture.count)"])
    #expect(!"\(seen)".contains("hush"), "\(seen)")
    #expect(zip(seen, seen.dropFirst()).allSatisfy { $0.at <= $1.at })
  }

  @Test func `a trace ends with the error`() async throws {
    let steps = Mutex<[FetchStep]>([])
    let fetcher = try makeFetcher()
    let url = try SourceURL(parsing: "http://10.0.0.1/?token=hush", names: IDN2Names())
    _ = try? await fetcher.fetch(OriginRequest(url: url, trace: { step in steps.withLock { $0.append(step) } }))
    let seen = steps.withLock { $0 }
    #expect(seen.map(\.kind) == ["address", "error"])
    #expect(seen.last?.facts.first?.value == "address_not_allowed")
    #expect(!"\(seen)".contains("hush"))
    fetcher.close()
  }
}
