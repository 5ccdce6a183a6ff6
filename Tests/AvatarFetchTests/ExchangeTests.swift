import AvatarCore
import Testing

@testable import AvatarFetch

/// A kind of answer, byte for byte, and what it must become: the picture, or a code.
struct ScriptedAnswer: Sendable, CustomTestStringConvertible {
  var name: String
  var steps: [RawOrigin.Step]
  var want: AvatarError.Code?
  var body = picture
  var testDescription: String { name }

  init(
    _ name: String, _ bytes: [UInt8], closes: Bool = true, then: [RawOrigin.Step] = [], _ want: AvatarError.Code? = nil,
    body: [UInt8] = picture
  ) {
    self.name = name
    steps = [.send(bytes)] + then + (closes ? [.close] : [])
    self.want = want
    self.body = body
  }

  static let lengths: [Self] = {
    let length = "Content-Length: \(picture.count)\r\n"
    func raw(_ head: String, _ body: [UInt8] = picture) -> [UInt8] { text("HTTP/1.1 200 OK\r\n\(head)\r\n") + body }
    let chunked = "Transfer-Encoding: chunked\r\n"
    let size = String(picture.count, radix: 16)
    return [
      Self("a right length", raw(length)),
      Self("no length, closed", raw("Connection: close\r\n")),
      Self("HTTP/1.0", text("HTTP/1.0 200 OK\r\n\r\n") + picture),
      Self("shorter than told", raw("Content-Length: 5000\r\n"), .originProtocol),
      Self("longer than told", raw("Content-Length: 100\r\n"), body: Array(picture.prefix(100))),
      Self("the same length twice", raw(length + length)),
      Self("two lengths", raw(length + "Content-Length: 5\r\n"), .originProtocol),
      Self("length -1", raw("Content-Length: -1\r\n"), .originProtocol),
      Self("length abc", raw("Content-Length: abc\r\n"), .originProtocol),
      Self("length +5", raw("Content-Length: +5\r\n"), .originProtocol),
      Self("length 10 GB", raw("Content-Length: 10737418240\r\n"), .sourceTooLarge),
      Self("length and chunks", raw("Content-Length: 5\r\n" + chunked, text("1\r\nx\r\n0\r\n\r\n")), .originProtocol),
      Self("length zero", raw("Content-Length: 0\r\n", []), .sourceEmpty),
      Self("chunks", raw(chunked, text("\(size)\r\n") + picture + text("\r\n0\r\n\r\n"))),
      Self(
        "chunks with extensions and trailers",
        raw(chunked, text("\(size);a=\"b\"\r\n") + picture + text("\r\n0;x\r\nX-Sum: 1\r\nContent-Length: 3\r\n\r\n"))),
      Self(
        "a chunk a byte", raw(chunked, picture.flatMap { text("1\r\n") + [$0] + text("\r\n") } + text("0\r\n\r\n"))),
      Self("no last chunk", raw(chunked, text("\(size)\r\n") + picture + text("\r\n")), .originProtocol),
      Self("a chunk size that is no number", raw(chunked, text("zz\r\nabc\r\n0\r\n\r\n")), .originProtocol),
      Self("a chunk size past all bounds", raw(chunked, text("FFFFFFFFFFFFFFFFF\r\nabc")), .originProtocol),
      Self("empty chunks", raw(chunked, text("0\r\n\r\n")), .sourceEmpty),
      Self("reset in the body", raw(length, [1, 2, 3]), then: [.reset], .originProtocol),
    ]
  }()

  static let syntax: [Self] = {
    let length = "Content-Length: \(picture.count)\r\n"
    func raw(_ head: String) -> [UInt8] { text(head) + picture }
    return [
      Self("closed without a byte", [], .originProtocol),
      Self("garbage for a status line", raw("HELLO WORLD\r\n\r\n"), .originProtocol),
      Self("HTTP/0.9", picture, .originProtocol),
      Self("no reason", raw("HTTP/1.1 200\r\n\(length)\r\n")),
      Self("bare line feeds", raw("HTTP/1.1 200 OK\nContent-Length: \(picture.count)\n\n")),
      Self("a folded line", raw("HTTP/1.1 200 OK\r\nX: a\r\n  b\r\n\(length)\r\n")),
      Self("NUL in a field", raw("HTTP/1.1 200 OK\r\nX: a\u{0}b\r\n\(length)\r\n"), .originProtocol),
      Self("a control character in a field", raw("HTTP/1.1 200 OK\r\nX: a\u{1}b\r\n\(length)\r\n")),
      Self("a line without a colon", raw("HTTP/1.1 200 OK\r\nnot a header\r\n\(length)\r\n"), .originProtocol),
      Self("status 99", raw("HTTP/1.1 099 x\r\n\(length)\r\n"), .originProtocol),
      Self("status 999", raw("HTTP/1.1 999 x\r\n\(length)\r\n"), .originProtocol),
      Self("101", raw("HTTP/1.1 101 x\r\nUpgrade: x\r\n\r\n"), .originProtocol),
      Self(
        "102 and 103 before the answer",
        raw("HTTP/1.1 103 E\r\nLink: x\r\n\r\nHTTP/1.1 102 P\r\n\r\nHTTP/1.1 200 OK\r\n\(length)\r\n")),
      Self(
        "100 without end", [], closes: false,
        then: [.repeatForever(text("HTTP/1.1 100 Continue\r\n\r\n"), pauseMilliseconds: 0)], .originProtocol),
      Self(
        "fields without end", text("HTTP/1.1 200 OK\r\n"), closes: false,
        then: [.repeatForever(text("X: v\r\n"), pauseMilliseconds: 0)], .originProtocol),
      Self(
        "one field without end", text("HTTP/1.1 200 OK\r\nX: "), closes: false,
        then: [.repeatForever(Array(repeating: 0x76, count: 4096), pauseMilliseconds: 0)], .originProtocol),
      Self(
        "a megabyte in one field",
        raw("HTTP/1.1 200 OK\r\nX: \(String(repeating: "h", count: 1 << 20))\r\n\(length)\r\n"), .originProtocol),
      Self(
        "ten thousand fields",
        raw("HTTP/1.1 200 OK\r\n" + (0..<10_000).map { "X-\($0): v\r\n" }.joined() + length + "\r\n"), .originProtocol),
    ]
  }()

  static let statuses: [Self] = {
    func status(_ line: String, _ want: AvatarError.Code) -> Self { Self(line, answer(line), closes: false, want) }
    func empty(_ line: String, _ want: AvatarError.Code) -> Self { Self(line, text("HTTP/1.1 \(line)\r\n\r\n"), want) }
    return [
      empty("204 No Content", .sourceEmpty), empty("304 Not Modified", .originProtocol),
      status("205 Reset", .sourceEmpty), status("206 Partial", .originProtocol), status("202 Accepted", .originStatus),
      status("300 Choices", .originRedirect), status("305 Proxy", .originRedirect),
      status("302 Found", .originRedirect),
      status("401 No", .originStatus), status("403 No", .originStatus), status("404 No", .originNotFound),
      status("410 Gone", .originNotFound), status("451 No", .originStatus), status("500 No", .originStatus),
      status("429 Slow", .originThrottled), status("503 Slow", .originThrottled),
      Self("203 is a 200", answer("203 Changed"), closes: false),
      Self(
        "206 of the whole", answer("206 Partial", ["Content-Range: bytes 0-\(picture.count - 1)/\(picture.count)"]),
        closes: false),
      Self(
        "404 with a body that never ends", text("HTTP/1.1 404 No\r\n\r\n"), closes: false, then: [.hang],
        .originNotFound),
      Self(
        "404 with a body without bounds", text("HTTP/1.1 404 No\r\n\r\n"), closes: false,
        then: [.repeatForever(Array(repeating: 0x61, count: 4096), pauseMilliseconds: 0)], .originNotFound),
      Self("500 cut short", text("HTTP/1.1 500 No\r\nContent-Length: 900\r\n\r\nabc"), .originStatus),
      Self(
        "motion JPEG", text("HTTP/1.1 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=f\r\n\r\n"),
        closes: false,
        then: [.hang], .imageUnsupported),
    ]
  }()
}

@Suite("Exchanges") struct ExchangeTests {
  @Test(arguments: ScriptedAnswer.lengths) func `the framing of a body is held to the letter`(script: ScriptedAnswer)
    async throws
  {
    try await check(script)
  }

  @Test(arguments: ScriptedAnswer.syntax) func `broken syntax ends the exchange and nothing else`(
    script: ScriptedAnswer
  ) async throws {
    try await check(script)
  }

  @Test(arguments: ScriptedAnswer.statuses) func `every status becomes a picture or its code`(script: ScriptedAnswer)
    async throws
  {
    try await check(script)
  }

  /// Asks for the scripted answer, then for a plain one with the same fetcher.
  private func check(_ script: ScriptedAnswer) async throws {
    let origin = try RawOrigin { $0.target == "/good" ? [.send(answer())] : script.steps }
    let fetcher = try makeFetcher()
    defer { fetcher.close() }
    switch await fetcher.outcome(try origin.url("/script")) {
    case .success(let response):
      #expect(script.want == nil, "\(script.name): an answer came")
      #expect(response.source.bytes == script.body, "\(script.name)")
      #expect(response.status == 200)
    case .failure(let error):
      #expect(error.code == script.want, "\(script.name): \(error.detail)")
    }
    let after = try await fetcher.fetch(OriginRequest(url: origin.url("/good")))
    #expect(after.source.bytes == picture, "\(script.name): the next answer")
  }

  /// Where bytes that nobody asked for stand: behind the body in one piece with the header, in a piece of their own, or much later.
  @Test(arguments: ["at once", "apart", "late"]) func `bytes that follow an answer never become another`(when: String)
    async throws
  {
    let head = Array(answer().dropLast(picture.count))
    let smuggled = answer("200 OK", [], text("smuggled"))
    let (asked, sent) = (Tally(), Tally())  // Rounds in which the late bytes may go out, and have gone.
    let origin = try RawOrigin { seen in
      guard seen.target == "/trail" else { return [.send(answer())] }
      return switch when {
      case "at once": [.send(answer() + smuggled)]
      case "apart": [.send(head), .send(picture + smuggled)]
      default:
        [
          .send(answer()), .run { asked.wait(untilMoreThan: sent) }, .send(smuggled), .delivered,
          .run { _ = sent.add("sent") },
        ]
      }
    }
    let fetcher = try makeFetcher()
    for path in ["/trail", "/next", "/trail", "/next", "/next"] {
      #expect(try await fetcher.fetch(OriginRequest(url: origin.url(path))).source.bytes == picture, "\(when): \(path)")
      if path == "/trail", when == "late" {
        let round = asked.add("asked")
        #expect(await eventually { sent.names.count == round })
      }
    }
    #expect(origin.connections == 3, "only the clean connection is used again")
    fetcher.close()
  }

  @Test func `the bound on bytes is exact, with and without a length`() async throws {
    let fetcher = try makeFetcher { $0.maxBytes = 5000 }
    defer { fetcher.close() }
    for (count, want) in [(4999, nil), (5000, nil), (5001, AvatarError.Code.sourceTooLarge)] {
      let body = [UInt8](repeating: 7, count: count)
      for bytes in [answer("200 OK", [], body), text("HTTP/1.1 200 OK\r\n\r\n") + body] {
        let origin = try RawOrigin(steps: [.send(bytes), .close])
        #expect(await fetcher.code(try origin.url()) == want, "\(count) bytes")
      }
    }
    let endless = try RawOrigin(steps: [
      .send(text("HTTP/1.1 200 OK\r\n\r\n")), .repeatForever([UInt8](repeating: 0, count: 4096), pauseMilliseconds: 0),
    ])
    #expect(await fetcher.code(try endless.url()) == .sourceTooLarge)
  }

  @Test func `the answer carries what freshness needs`() async throws {
    let origin = try RawOrigin(steps: [
      .send(answer("200 OK", ["ETag: W/\"x\"", "Cache-Control: max-age=60", "CACHE-CONTROL: public"]))
    ])
    let fetcher = try makeFetcher()
    let response = try await fetcher.fetch(OriginRequest(url: origin.url("/a?b=c")))
    #expect(response.values(of: "cache-control") == ["max-age=60", "public"])
    #expect(response.values(of: "etag") == ["W/\"x\""])
    #expect(response.finalURL == (try origin.url("/a?b=c")))
    #expect(response.requestedAt == StoppedClock().now && response.receivedAt == StoppedClock().now)
    #expect(response.redirects == 0)
    #expect(response.elapsed > .zero)
    fetcher.close()
  }

  @Test func `errors carry the origin's status and its Retry-After`() async throws {
    let origin = try RawOrigin { seen in
      seen.target == "/503" ? [.send(answer("503 x", ["Retry-After: 7"]))] : [.send(answer("403 x"))]
    }
    let fetcher = try makeFetcher()
    let throttled = await fetcher.outcome(try origin.url("/503")).error
    #expect(throttled?.retryAfter == .seconds(7) && throttled?.originStatus == 503)
    #expect(await fetcher.outcome(try origin.url("/403")).error?.originStatus == 403)
    fetcher.close()
  }

  @Test func `validators go out byte for byte and bring a 304`() async throws {
    let origin = try RawOrigin { seen in
      seen.field("If-None-Match") == "W/\"v1\"" && seen.field("If-Modified-Since") == "Mon, 06 Jan 2025 10:00:00 GMT"
        ? [.send(text("HTTP/1.1 304 Not Modified\r\nETag: \"other\"\r\n\r\n"))] : [.send(answer())]
    }
    let fetcher = try makeFetcher()
    let validators = Validators(etag: "W/\"v1\"", lastModified: "Mon, 06 Jan 2025 10:00:00 GMT")
    let response = try await fetcher.fetch(OriginRequest(url: origin.url(), validators: validators))
    #expect(response.status == 304 && response.source.isEmpty && response.values(of: "etag") == ["\"other\""])
    #expect(try await fetcher.fetch(OriginRequest(url: origin.url())).status == 200)
    fetcher.close()
  }

  @Test func `a request carries ours and nothing else, and no validator can add a line`() async throws {
    let origin = try RawOrigin(steps: [.send(answer("200 OK", ["Set-Cookie: a=b"]))])
    let fetcher = try makeFetcher()
    for _ in 0..<2 {
      _ = try await fetcher.fetch(
        OriginRequest(url: origin.url("/x?q=%20"), validators: Validators(etag: "\"a\"\r\nX-Evil: 1", lastModified: ""))
      )
    }
    #expect(origin.seen.count == 2)
    for seen in origin.seen {
      #expect(seen.target == "/x?q=%20")
      let names = seen.lines.map { String($0.prefix { $0 != ":" }) }
      #expect(
        names.sorted() == ["Accept", "Accept-Encoding", "Host", "If-Modified-Since", "User-Agent"], "\(seen.lines)")
      #expect(seen.field("User-Agent") == "avatar-server/test")
      #expect(seen.field("Accept") == RequestFields.accept)
    }
    fetcher.close()
  }

  @Test func `a connection is used again, and one that died meanwhile is replaced`() async throws {
    let origin = try RawOrigin {
      $0.target == "/drop" ? [.send(answer("200 OK", ["Connection: keep-alive"])), .close] : [.send(answer())]
    }
    let fetcher = try makeFetcher()
    for path in ["/a", "/b", "/drop", "/c", "/drop", "/d"] {
      #expect(try await fetcher.fetch(OriginRequest(url: origin.url(path))).source.bytes == picture)
    }
    #expect(origin.connections == 3)
    #expect(await eventually { fetcher.statistics.connectionsReused == 3 && fetcher.statistics.connectionsOpened == 3 })
    #expect(fetcher.statistics.hops == 6 && fetcher.statistics.bytes == 6 * picture.count)
    fetcher.close()
  }
}
