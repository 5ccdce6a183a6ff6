import AvatarCore
import AvatarCrypto
import AvatarNames
import AvatarService
import Testing

struct ControlSideTests {
  private func asker(_ stage: Stage, tokens: [String] = []) -> Asker {
    let signer = URLSigner(keys: [Array(repeating: 7, count: 16)], hashing: OpenSSLHashing())
    let chain = ChainResolver(stage.resolver, patience: .seconds(1))
    let prefetcher = Prefetcher(
      chain: chain, resolver: stage.resolver, naming: stage.naming, names: IDN2Names(),
      links: AvatarLinks(base: "https://avatars.test", signer: signer), settings: Prefetcher.Settings())
    let journal = RequestJournal(metrics: Metrics(), log: SilentLog())
    return Asker(
      side: ControlSide(
        access: ControlGuard(tokens: tokens, hashing: OpenSSLHashing()), prefetcher: prefetcher,
        notifications: NotificationsEndpoint(prefetcher: prefetcher, payload: Configuration().payload),
        purger: Purger(store: stage.store, naming: stage.naming, names: IDN2Names()),
        inspector: Inspector(resolver: stage.resolver, parts: stage.parts, names: IDN2Names(), limits: ImageLimits()),
        figures: Figures(
          metrics: journal.metrics, resolver: stage.resolver, prefetcher: prefetcher, version: "0",
          workers: { Figures.Workers(busy: 0, up: 1, queued: 0, restarts: [:]) },
          fetches: { Figures.Fetches(inFlight: 0, queued: 0) }, connections: { 0 }),
        journal: journal, budget: .seconds(4), readiness: { Readiness(ready: true, degraded: []) }))
  }

  static let json = ["Host": "127.0.0.1:8081", "Content-Type": "application/json"]

  static let guarded: [(headers: [String: String], status: Int)] = [
    (["Host": "127.0.0.1:8081"], 200), (["Host": "localhost"], 200), (["Host": "[::1]:8081"], 200),
    (["Host": "LOCALHOST:1"], 200), (["Host": "127.9.9.9"], 200), (["Host": "evil.test"], 403),
    (["Host": "127.0.0.1.evil.test"], 403), (["Host": "10.0.0.1"], 403), ([:], 403),
    (["Host": "localhost:8081", "Origin": "http://localhost:8081"], 200),
    (["Host": "localhost:8081", "Origin": "http://localhost:9999"], 403),
    (["Host": "localhost:8081", "Origin": "null"], 403),
    (["Host": "localhost:8081", "Sec-Fetch-Site": "cross-site"], 403),
    (["Host": "localhost:8081", "Sec-Fetch-Site": "same-site"], 403),
    (["Host": "localhost:8081", "Sec-Fetch-Site": "same-origin"], 200),
    (["Host": "localhost:8081", "Sec-Fetch-Site": "none"], 200),
  ]

  @Test(arguments: guarded.indices)
  func `without tokens only this machine's own programs get in`(index: Int) async {
    let sample = Self.guarded[index]
    let reply = await asker(Stage()).get("/v1/stats", sample.headers)
    #expect(reply.status == sample.status, "\(sample.headers)")
  }

  static let bearers: [(value: String?, status: Int)] = [
    (nil, 401), ("Bearer right", 200), ("bearer right", 200), ("Bearer  right", 200), ("Bearer also", 200),
    ("Bearer wrong", 401), ("Bearer righ", 401), ("Bearer rightx", 401), ("Bearer", 401), ("Basic right", 401),
    ("right", 401), ("Bearer right right", 401),
  ]

  @Test(arguments: bearers.indices)
  func `with tokens a right one opens, from anywhere`(index: Int) async {
    let sample = Self.bearers[index]
    var headers = ["Host": "control.internal"]
    headers["Authorization"] = sample.value
    let asker = asker(Stage(), tokens: ["right", "also"])
    #expect(await asker.get("/v1/stats", headers).status == sample.status, "\(sample)")
    #expect(await asker.get("/metrics", ["Host": "control.internal"]).status == 200)
    #expect(await asker.get("/healthz", [:]).status == 200)
  }

  @Test func `a prefetch that may wait answers with links, an error of its own for each`() async {
    let stage = Stage()
    stage.origin.set("http://a.test/1.png", .picture("one"))
    let body =
      #"{"avatars":[{"sources":["http://a.test/1.png"]},{"sources":["ftp://x"]},{"sources":["http://a.test/2.png"]}],"wait":"3s"}"#
    let reply = await asker(stage).get("/v1/prefetch", Self.json, method: .post, body: body)
    #expect(reply.status == 200)
    #expect(reply.text.contains(#""status":"ready""#) && reply.text.contains(#""source":0"#))
    #expect(reply.text.contains("https://avatars.test/avatar/") && reply.text.contains("https://avatars.test/o/"))
    #expect(reply.text.contains("invalid_source_url") && reply.text.contains("origin_not_found"))
  }

  @Test func `a prefetch that may not wait answers at once and works on behind`() async throws {
    let stage = Stage()
    stage.origin.set("http://a.test/1.png", .held(then: .picture("one")))
    let body = #"{"urls":["http://a.test/1.png"]}"#
    let asker = asker(stage)
    let reply = await asker.get("/v1/prefetch", Self.json, method: .post, body: body)
    #expect(reply.status == 202 && reply.text.contains(#""status":"pending""#))
    await stage.origin.arrival()
    stage.origin.release()
    #expect(try await stage.get("http://a.test/1.png").text == "one")
    #expect(stage.origin.asked.count == 1)
  }

  static let badBodies: [(body: String, headers: [String: String], status: Int)] = [
    ("", json, 400), ("7", json, 400), ("{}", json, 400), (#"{"avatars":[]}"#, json, 400),
    (#"{"avatars":{}}"#, json, 400), (#"{"urls":["http://a.test/"],"wait":"soon"}"#, json, 400),
    (#"{"urls":["http://a.test/"],"wait":"5s"}"#, json, 400), (#"{"urls":["http://a.test/"],"avatars":[]}"#, json, 400),
    (#"{"urls":["http://a.test/"]}"#, ["Host": "localhost"], 415),
    (#"{"urls":["http://a.test/"]}"#, ["Host": "localhost", "Content-Type": "text/plain"], 415),
  ]

  @Test(arguments: badBodies.indices)
  func `a body of another form is refused whole`(index: Int) async {
    let sample = Self.badBodies[index]
    let reply = await asker(Stage()).get("/v1/prefetch", sample.headers, method: .post, body: sample.body)
    #expect(reply.status == sample.status, "\(sample.body)")
  }

  @Test func `a purge takes an avatar out under all its keys`() async throws {
    let stage = Stage()
    stage.origin.set("http://a.test/1.png", .picture("one"), .picture("two"))
    _ = try await stage.get("http://a.test/1.png")
    let reply = await asker(stage).get(
      "/v1/purge", Self.json, method: .post, body: #"{"sources":["http://a.test/1.png"]}"#)
    #expect(reply.text.contains(#""entries":1"#))
    #expect(try await stage.get("http://a.test/1.png").text == "two")
    for body in [
      "{}", #"{"host":"*.a.test","sha256":"00"}"#, #"{"sha256":"zz"}"#, #"{"host":"*"}"#, #"{"sources":[]}"#,
    ] {
      #expect(await asker(stage).get("/v1/purge", Self.json, method: .post, body: body).status == 400, "\(body)")
    }
  }

  @Test func `inspect shows the key and the avatar and touches no cache`() async throws {
    let stage = Stage()
    stage.origin.set("http://a.test/1.png", .picture("one"))
    let reply = await asker(stage).get("/v1/inspect?src=http://a.test/1.png", ["Host": "localhost"])
    let key = try stage.source("http://a.test/1.png").key
    #expect(reply.text.contains("\"key\":\"\(key)\"") && reply.text.contains("data:image/jpeg;base64,"))
    #expect(stage.store.entries.isEmpty)
    let missing = await asker(stage).get("/v1/inspect?src=http://a.test/no.png", ["Host": "localhost"])
    #expect(missing.status == 200 && missing.text.contains("origin_not_found"))
  }
}
