import AvatarCore
import AvatarCrypto
import AvatarNames
import AvatarService
import Synchronization
import Testing

/// Prepared replies that remember what they were prepared from.
struct StagePreparer: ReplyPreparing {
  final class Prepared: PreparedReply, @unchecked Sendable {  // Holds constants only.
    private let made: HTTPReply
    private let clock: any WallClock
    init(_ reply: HTTPReply, _ clock: any WallClock) {
      made = reply
      self.clock = clock
      super.init(status: reply.status)
    }
    /// As it is sent now.
    var reply: HTTPReply {
      made.counted(secondsLeft: made.countsDownTo.map { max(0, ($0 - clock.now).milliseconds / 1000) } ?? 0)
    }
  }
  let clock: any WallClock
  func prepare(_ reply: HTTPReply) -> PreparedReply { Prepared(reply, clock) }
}

struct SilentLog: EventLogging {
  func isEnabled(_ level: LogLevel) -> Bool { false }
  func log(_ level: LogLevel, _ event: StaticString, _ fields: [(StaticString, LogValue)]) {}
}

/// A side of the service asked without a network.
struct Asker {
  let side: any HTTPHandling

  func get(
    _ target: String, _ headers: [String: String] = [:], method: HTTPRequest.Method = .get, body: String = ""
  ) async -> HTTPReply {
    // As the adapter does: what is known is answered early.
    let known = Array(target.utf8).withUnsafeBytes { side.recall($0) }
    if method != .post, let known {
      let fields = (headers["If-None-Match"], headers["If-Modified-Since"])
      let prepared = side.hit(known) {
        fields.0 == nil && fields.1 == nil ? nil : ConditionalRequest(ifNoneMatch: fields.0, ifModifiedSince: fields.1)
      }
      if let prepared = prepared as? StagePreparer.Prepared { return prepared.reply }
    }
    let parts = target.split(separator: "?", maxSplits: 1).map(String.init)
    let header: @Sendable (StaticString) -> String? = { name in headers["\(name)"] }
    let request =
      known.map { HTTPRequest(method: method, known: $0, body: Array(body.utf8), header: header) }
      ?? HTTPRequest(
        method: method, path: parts[0], query: parts.count > 1 ? parts[1] : nil, body: Array(body.utf8), header: header)
    switch side.respond(to: request) {
    case .reply(let reply): return reply
    case .prepared(let prepared):
      return (prepared as? StagePreparer.Prepared)?.reply ?? HTTPReply(status: 0, headers: [])
    case .later(let begin):
      return await withCheckedContinuation { continuation in begin(Once(continuation: continuation)) }
    }
  }

  private struct Once: HTTPResponder {
    let continuation: CheckedContinuation<HTTPReply, Never>
    func send(_ reply: HTTPReply) { continuation.resume(returning: reply) }
    func send(_ reply: PreparedReply) {
      continuation.resume(returning: (reply as? StagePreparer.Prepared)?.reply ?? HTTPReply(status: 0, headers: []))
    }
  }
}

extension HTTPReply {
  func field(_ name: String) -> String? { headers.first { $0.name.lowercased() == name.lowercased() }?.value }
  var text: String { String(decoding: body.bytes, as: UTF8.self) }
}

struct PublicSideTests {
  static let url = "http://origin.test/a.png"
  static let key: [UInt8] = Array(repeating: 7, count: 16)

  private func side(_ stage: Stage, keys: [[UInt8]] = [], unsigned: Bool = true) -> (Asker, URLSigner) {
    let signer = URLSigner(keys: keys, hashing: OpenSSLHashing())
    let side = PublicSide(
      PublicSide.Settings(
        signer: signer, allowsUnsigned: unsigned, budget: .seconds(10), patience: .seconds(1), maximumSources: 4),
      resolver: stage.resolver, naming: stage.naming, names: IDN2Names(), preparer: StagePreparer(clock: stage.clock),
      journal: RequestJournal(metrics: Metrics(), log: SilentLog()))
    return (Asker(side: side), signer)
  }

  private func segment(_ urls: String..., fit: Fit = .cover) throws -> String {
    AvatarLocator(sources: try urls.map { try SourceURL(parsing: $0, names: IDN2Names()) }, fit: fit).segment
  }

  @Test func `a hit from disk whose bytes are at hand does not wait`() async throws {
    let stage = Stage { $0.memoryBytes = 0 }
    stage.origin.set(Self.url, .picture("one", headers: .cacheControl("max-age=600")))
    let (asker, _) = side(stage)
    let path = "/avatar/unsigned/\(try segment(Self.url)).jpg"
    #expect(await asker.get(path).status == 200)
    let request = HTTPRequest(method: .get, path: path, query: nil) { _ in nil }
    guard case .reply(let reply) = asker.side.respond(to: request) else {
      Issue.record("an answer that comes later")
      return
    }
    #expect(reply.status == 200 && reply.body.count > 0)
    #expect(reply.headers.contains { $0.name == "Cache-Status" && $0.value.hasPrefix("avatar-server; hit") })
  }

  @Test func `a 200 carries the whole header block`() async throws {
    let stage = Stage()
    stage.origin.set(Self.url, .picture("one", headers: .cacheControl("max-age=600")))
    let (asker, _) = side(stage)
    let reply = await asker.get("/avatar?src=\(Self.url)")
    #expect(reply.status == 200 && reply.text == "jpeg cover one")
    #expect(reply.field("Content-Type") == "image/jpeg")
    #expect(reply.field("ETag") == "\"\(ContentHash(OpenSSLHashing().sha256(reply.body.bytes)))\"")
    #expect(
      reply.field("Cache-Control") == "public, max-age=600, stale-while-revalidate=604800, stale-if-error=2592000")
    #expect(reply.field("Cache-Status") == "avatar-server; fwd=uri-miss; fwd-status=200; stored")
    #expect(reply.field("Access-Control-Allow-Origin") == "*")
    #expect(reply.field("Cross-Origin-Resource-Policy") == "cross-origin")
    #expect(reply.field("Accept-Ranges") == "none")
    #expect(reply.field("X-Content-Type-Options") == "nosniff")
    #expect(reply.field("Last-Modified") == HTTPDate.format(stage.clock.now))
    #expect(reply.field("Server-Timing") != nil && reply.field("Avatar-Source") == nil)
    for absent in ["Vary", "Set-Cookie", "Location"] { #expect(reply.field(absent) == nil) }
  }

  @Test func `a hit never hands out more life than is left`() async throws {
    let stage = Stage()
    stage.origin.set(Self.url, .picture("one", headers: .cacheControl("max-age=600")))
    let (asker, _) = side(stage)
    _ = await asker.get("/avatar?src=\(Self.url)")
    stage.clock.advance(.seconds(100))
    let reply = await asker.get("/avatar?src=\(Self.url)")
    let value = try #require(reply.field("Cache-Control"))
    #expect(value.hasPrefix("public, max-age=49") || value.hasPrefix("public, max-age=500"), "\(value)")
    #expect(reply.field("Server-Timing") == nil)
  }

  @Test func `signed targets are verified, others refused`() async throws {
    let stage = Stage()
    stage.origin.set(Self.url, .picture("one"))
    let (asker, signer) = side(stage, keys: [Self.key], unsigned: false)
    let segment = try segment(Self.url)
    #expect(await asker.get("/avatar/\(signer.signature(of: segment))/\(segment).jpg").status == 200)
    #expect(await asker.get("/avatar/AAAAAAAAAAAAAAAAAAAAAA/\(segment).jpg").text.contains("invalid_signature"))
    #expect(await asker.get("/avatar/unsigned/\(segment).jpg").text.contains("unsigned_not_allowed"))
    #expect(await asker.get("/avatar?src=\(Self.url)").text.contains("unsigned_not_allowed"))
  }

  @Test func `a target that was verified is recognized byte for byte, and not with other keys`() async throws {
    let stage = Stage()
    stage.origin.set(Self.url, .picture("one"))
    let (asker, signer) = side(stage, keys: [Self.key], unsigned: false)
    let segment = try segment(Self.url)
    let target = "/avatar/\(signer.signature(of: segment))/\(segment).jpg"
    func isKnown(_ target: String) -> Bool { Array(target.utf8).withUnsafeBytes { asker.side.recall($0) } != nil }
    #expect(!isKnown(target))
    #expect(await asker.get(target).status == 200)
    #expect(isKnown(target))
    #expect(!isKnown(target + "?v=0123456789abcdef"), "its answer may be another one")
    #expect(!isKnown("/avatar/AAAAAAAAAAAAAAAAAAAAAA/\(segment).jpg"))
    let side = try #require(asker.side as? PublicSide)
    side.replaceSigner(URLSigner(keys: [Array(repeating: 8, count: 16)], hashing: OpenSSLHashing()))
    #expect(!isKnown(target))
    #expect(await asker.get(target).text.contains("invalid_signature"))
  }

  @Test func `a known target is answered early only while its avatar is fresh in memory`() async throws {
    let stage = Stage()
    stage.origin.set(Self.url, .picture("one", headers: .cacheControl("max-age=600")), .picture("two"))
    let (asker, _) = side(stage)
    let target = "/avatar/unsigned/\(try segment(Self.url)).jpg"
    func early(_ etag: String? = nil) -> HTTPReply? {
      guard let known = Array(target.utf8).withUnsafeBytes({ asker.side.recall($0) }) else { return nil }
      let prepared = asker.side.hit(known) { etag.map { ConditionalRequest(ifNoneMatch: $0, ifModifiedSince: nil) } }
      return (prepared as? StagePreparer.Prepared)?.reply
    }
    let etag = try #require(await asker.get(target).field("ETag"))
    let first = try #require(early())
    #expect(first.status == 200 && first.field("Cache-Status") == "avatar-server; hit; ttl=600")
    #expect(early(etag)?.status == 304)
    #expect(early("\"other\"")?.status == 200)
    stage.clock.advance(.seconds(100))
    #expect(early()?.field("Cache-Status") == "avatar-server; hit; ttl=500")
    // Back behind the moment that the reply was made at: what is true then is found out anew.
    stage.clock.advance(.seconds(-50))
    #expect(early()?.field("Cache-Status") == "avatar-server; hit; ttl=550")
    stage.clock.advance(.seconds(551))
    #expect(early() == nil, "stale: who asks starts a refresh")
  }

  @Test func `a popular avatar is refreshed ahead by early answers too, and only near the end of its life`()
    async throws
  {
    let stage = Stage { $0.earlyRefresh = .seconds(3600) }
    stage.origin.set(
      Self.url, .picture("one", headers: .cacheControl("max-age=600")),
      .picture("two", headers: .cacheControl("max-age=600")))
    let (asker, _) = side(stage)
    let target = "/avatar/unsigned/\(try segment(Self.url)).jpg"
    for _ in 0..<100 { #expect(await asker.get(target).text == "jpeg cover one") }
    stage.clock.advance(.seconds(539))
    for _ in 0..<100 { #expect(await asker.get(target).text == "jpeg cover one") }
    stage.clock.advance(.seconds(58))
    var answers = 0
    while answers < 100_000, await asker.get(target).text == "jpeg cover one" { answers += 1 }
    #expect(answers < 100_000, "nobody waited, and it was never stale")
    #expect(await asker.get(target).text == "jpeg cover two")
  }

  @Test func `a URL handed out for these bytes is immutable, and lives on with others`() async throws {
    let stage = Stage()
    stage.origin.set(
      Self.url, .picture("one", headers: .cacheControl("max-age=600, must-revalidate")), .picture("two"))
    let (asker, _) = side(stage)
    let segment = try segment(Self.url)
    let first = await asker.get("/avatar/unsigned/\(segment).jpg")
    let version = try #require(first.field("ETag")).dropFirst().prefix(16)
    let target = "/avatar/unsigned/\(segment).jpg?v=\(version)"
    #expect(await asker.get(target).field("Cache-Control") == "public, max-age=31536000, immutable")
    stage.clock.advance(.seconds(601))
    let changed = await asker.get(target)
    #expect(changed.status == 200 && changed.text == "jpeg cover two")
    #expect(changed.field("Cache-Control")?.contains("immutable") == false)
  }

  @Test func `what its origin forbids to keep is kept by nobody else`() async throws {
    let stage = Stage()
    stage.origin.set(Self.url, .picture("one", headers: .cacheControl("private, max-age=600")))
    let (asker, _) = side(stage)
    for _ in 0..<2 {
      let reply = await asker.get("/avatar?src=\(Self.url)")
      #expect(reply.field("Cache-Control") == "public, max-age=0, must-revalidate")
    }
    let hash = OpenSSLHashing().sha256(Array("jpeg cover one".utf8)).hex
    #expect(await asker.get("/o/\(hash).jpg").status == 404)
  }

  @Test func `conditional requests get a 304 with what a cache needs`() async throws {
    let stage = Stage()
    stage.origin.set(Self.url, .picture("one"))
    let (asker, _) = side(stage)
    let etag = try #require(await asker.get("/avatar?src=\(Self.url)").field("ETag"))
    let modified = HTTPDate.format(stage.clock.now)
    for headers in [
      ["If-None-Match": etag], ["If-None-Match": "\"x\", W/\(etag)"], ["If-None-Match": "*"],
      ["If-Modified-Since": modified],
    ] {
      let reply = await asker.get("/avatar?src=\(Self.url)", headers)
      #expect(reply.status == 304 && reply.body.count == 0, "\(headers)")
      #expect(reply.field("ETag") == etag && reply.field("Cache-Control") != nil)
      #expect(reply.field("Content-Type") == nil, "it describes bytes that are not there: \(headers)")
    }
    let other = await asker.get("/avatar?src=\(Self.url)", ["If-None-Match": "\"x\"", "If-Modified-Since": modified])
    #expect(other.status == 200, "If-None-Match decides alone")
  }

  @Test func `only-if-cached is a 504 where nothing is, and no-cache is ignored`() async throws {
    let stage = Stage()
    stage.origin.set(Self.url, .picture("one"))
    let (asker, _) = side(stage)
    let reply = await asker.get("/avatar?src=\(Self.url)", ["Cache-Control": "only-if-cached"])
    #expect(reply.status == 504 && reply.text.contains("not_cached"))
    _ = await asker.get("/avatar?src=\(Self.url)")
    _ = await asker.get("/avatar?src=\(Self.url)", ["Cache-Control": "no-cache"])
    #expect(stage.origin.asked.count == 1)
  }

  @Test func `an error says its code, is kept as long as it is remembered, and repeats nothing`() async throws {
    let stage = Stage()
    let (asker, _) = side(stage)
    let reply = await asker.get("/avatar?src=http://origin.test/secret.png")
    #expect(reply.status == 404 && reply.field("Content-Type") == "application/problem+json")
    #expect(reply.text.contains("\"code\":\"origin_not_found\"") && !reply.text.contains("secret"))
    let value = try #require(reply.field("Cache-Control"))
    let seconds = try #require(Int(value.split(separator: "=").last ?? ""))
    #expect((3240...3960).contains(seconds), "\(value)")
    #expect(reply.field("Cache-Status") == "avatar-server; fwd=uri-miss; fwd-status=404; detail=origin_not_found")
    let again = await asker.get("/avatar?src=http://origin.test/secret.png")
    #expect(again.field("Cache-Status")?.hasPrefix("avatar-server; hit; ttl=") == true)
    #expect(await asker.get("/nothing").field("Cache-Control") == "no-store")
  }

  @Test func `a chain says which source it is and caps what stands in`() async throws {
    let stage = Stage()
    stage.origin.set("http://sender.test/b.png", .picture("sender"))
    let (asker, _) = side(stage)
    let reply = await asker.get("/avatar?src=\(Self.url)&src=http://sender.test/b.png")
    #expect(reply.status == 200 && reply.field("Avatar-Source") == "1")
    #expect(reply.field("Cache-Control")?.contains("stale") == false)
    let five = Array(repeating: "src=\(Self.url)", count: 5).joined(separator: "&")
    #expect(await asker.get("/avatar?\(five)").text.contains("too_many_sources"))
  }
}
