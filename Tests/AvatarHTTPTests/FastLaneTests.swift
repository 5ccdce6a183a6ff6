import AvatarCore
import AvatarHTTP
import Glibc
import Synchronization
import Testing

/// Hits that are answered before the library reads their requests. Nobody may tell the difference.
@Suite struct FastLaneTests {
  /// However slowly a test goes, no request has to be the library's.
  private static let options = options(with: [.get, .head])

  private static func options(with methods: Set<HTTPRequest.Method>) -> HTTPServerOptions {
    HTTPServerOptions(
      methods: methods, maximumBodyBytes: methods.contains(.post) ? 100 : 0, threads: 1, idleTimeout: .seconds(3600))
  }

  private static let fields = [
    "", "Connection: keep-alive\r\n", "If-None-Match: \"k\"\r\n", "If-None-Match: \"other\"\r\n",
    "if-none-match: *\r\nIf-Modified-Since: Mon, 30 Nov 2026 00:00:00 GMT\r\n",
    "If-Modified-Since: Mon, 30 Nov 2026 00:00:00 GMT\r\n", "Range: bytes=0-1\r\nX:\r\nAccept-Encoding: gzip\r\n",
  ]

  @Test("The answer is byte for byte the library's", arguments: ["GET", "HEAD"], fields)
  func sameBytes(method: String, fields: String) throws {
    let test = try TestServer(Self.options, known: ["/hit?v=1": true])
    let request = "\(method) /hit?v=1 HTTP/1.1\r\nHost: a\r\n\(fields)\r\n"
    let early = try test.client()
    early.send(request)
    let one = try #require(early.receive())
    #expect(test.server.statistics.early == 1)
    // Two requests at a time are the library's, and so is what follows them.
    let late = try test.client()
    late.send(.get("/a") + .get("/b"))
    for _ in 0..<2 { #expect(late.receiveAnswer()?.status == 200) }
    late.send(request)
    let other = try #require(late.receive())
    #expect(withoutDate(one) == withoutDate(other))
    #expect(test.server.statistics.early == 1)
    #expect(test.handler.hits.count == 2)
    Task { await test.server.close() }
  }

  /// The answer with its date's digits taken out.
  private func withoutDate(_ bytes: [UInt8]) -> String {
    let text = String(decoding: bytes, as: UTF8.self)
    let date = text.split(separator: "\r\n").first { $0.hasPrefix("Date: ") } ?? ""
    #expect(date.count == 35 && date.hasSuffix(" GMT"), "\(text)")
    #expect(HTTPDate.parse(date.dropFirst(6), now: UnixTime(milliseconds: 0)) != nil, "\(date)")
    return text.replacing(date, with: "Date")
  }

  @Test func `After requests that the library had the next hit is early again`() throws {
    let test = try TestServer(
      Self.options(with: [.get, .head, .post]),
      known: ["/hit": true, "/gone": false])
    let client = try test.client()
    for (number, other) in ["/a", "/gone", "/a?b=c", "/a/../b"].enumerated() {
      client.send(.get("/hit"))
      #expect(client.receiveAnswer()?.text == "known")
      #expect(test.server.statistics.early == number + 1, "\(other)")
      client.send(.get(other))
      #expect(client.receiveAnswer() != nil, "\(other)")
    }
    #expect(client.isClosedByServer())
    #expect(test.handler.hits.filter { $0.target == "/gone" }.count == 1, "asked once")
    Task { await test.server.close() }
  }

  @Test func `A body may hold a request, and what comes with it is not one`() throws {
    let test = try TestServer(
      Self.options(with: [.get, .post]), known: ["/hit": true])
    let hidden = String.get("/hit")
    let client = try test.client()
    client.send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: \(hidden.utf8.count)\r\nExpect: 100-continue\r\n\r\n")
    #expect(client.receiveAnswer()?.status == 100)
    client.send(hidden)
    #expect(client.receiveAnswer()?.text == "/a")
    #expect(test.handler.hits.isEmpty)
    client.send(hidden)
    #expect(client.receiveAnswer()?.text == "known")
    #expect(test.server.statistics.early == 0)
    Task { await test.server.close() }
  }

  @Test func `A head in two pieces, two heads in one, and a half behind a whole are read in order`() throws {
    let test = try TestServer(Self.options, known: ["/hit": true])
    let (hit, other) = (String.get("/hit"), String.get("/a"))
    for cut in [1, 4, 5, 20, hit.count - 1] {
      let client = try test.client()
      for (whole, texts) in [
        (hit + other, ["known", "/a"]), (other + hit, ["/a", "known"]), (hit + hit + other, ["known", "known", "/a"]),
      ] {
        client.send(String(whole.prefix(cut)))
        client.send(String(whole.dropFirst(cut)) + hit.prefix(cut))
        client.send(String(hit.dropFirst(cut)))
        for text in texts + ["known"] { #expect(client.receiveAnswer()?.text == text, "\(texts), \(cut)") }
      }
    }
    Task { await test.server.close() }
  }

  /// 42 bytes of the answer's fields are others'.
  @Test("Fields for which there is no room are sent by the library", arguments: [469, 470, 471, 2000])
  func longFields(bytes: Int) throws {
    let test = try TestServer(Self.options, known: ["/hit": true])
    test.handler.longField.withLock { $0 = bytes }
    let client = try test.client()
    client.send(.get("/hit"))
    let answer = try #require(client.receiveAnswer())
    #expect(answer.text == "known" && answer.values("x-long").map(\.count) == [bytes])
    #expect(test.server.statistics.early == (bytes <= 470 ? 1 : 0))
    Task { await test.server.close() }
  }

  @Test("What ends a connection ends it", arguments: ["Connection: close\r\n", "Connection: keep-alive, close\r\n"])
  func close(fields: String) throws {
    let test = try TestServer(Self.options, known: ["/hit": true])
    for request in [String.get("/hit", fields), "GET /hit HTTP/1.0\r\nHost: a\r\n\r\n"] {
      let client = try test.client()
      client.send(.get("/hit"))
      #expect(client.receiveAnswer()?.values("connection") == [])
      client.send(request)
      #expect(client.receiveAnswer()?.values("connection") == ["close"])
      #expect(client.isClosedByServer())
    }
    #expect(test.server.statistics.early == 2)
    Task { await test.server.close() }
  }

  @Test func `A connection that has only hits is not idle`() throws {
    var options = Self.options
    options.idleTimeout = .seconds(4)
    let test = try TestServer(options, known: ["/hit": true])
    let client = try test.client()
    // Longer than the timeout, with pauses that are shorter.
    for number in 0..<14 {
      client.send(.get("/hit"))
      #expect(client.receiveAnswer()?.text == "known", "\(number)")
      usleep(400_000)
    }
    #expect((1..<14).contains(test.server.statistics.early), "some were the library's, whose clock it is")
    Task { await test.server.close() }
  }

  @Test("Seconds are counted down, exactly or by a hundredth less", arguments: [0, 1, 7, 100, 5000, 400_000_000])
  func countdown(left: Int) throws {
    let start = time(nil)
    let end = UnixTime(milliseconds: Int64(start + left) * 1000)
    let test = try TestServer(Self.options, known: ["/hit": true]) { _ in
      .reply(HTTPReply(status: 200, headers: []))
    }
    test.handler.countsDownTo.withLock { $0 = end }
    for isEarly in [true, false] {
      let client = try test.client()
      if !isEarly {
        client.send(.get("/a") + .get("/b"))  // From here on the library's.
        for _ in 0..<2 { #expect(client.receiveAnswer()?.status == 200) }
      }
      for _ in 0..<2 {
        let before = time(nil)
        client.send(.get("/hit"))
        let answer = try #require(client.receiveAnswer())
        let after = time(nil)
        let seconds = try #require(answer.values("x-left").first.flatMap { Int($0.dropFirst(5).dropLast(4)) })
        #expect(answer.values("x-left") == ["left=\(seconds)/end"] && answer.values("x-again") == ["\(seconds)"])
        #expect(answer.text == "known")
        let (most, least) = (max(0, start + left - before), max(0, start + left - after - 2))
        #expect(seconds <= most && seconds >= least - min(10, left / 100 + 1), "\(seconds) of \(left)")
      }
    }
    #expect(test.server.statistics.early == 2)
    Task { await test.server.close() }
  }

  @Test("Of a long hit every byte comes", arguments: [32_000, 40_000, 2_000_000])
  func long(size: Int) throws {
    let body = (0..<size).map { UInt8(truncatingIfNeeded: $0 / 7) }
    let test = try TestServer(Self.options, known: ["/hit": true], body: body)
    let client = try test.client()
    for _ in 0..<3 {
      client.send(.get("/hit"))
      #expect(client.receiveAnswer()?.body == body)
    }
    #expect(test.server.statistics.early == (size < 32_768 ? 3 : 0))
    #expect(test.handler.hits.count == 3, "asked once each")
    Task { await test.server.close() }
  }

  @Test func `A client that asks on and on without reading gets whole answers and then the end`() async throws {
    let body = [UInt8](repeating: 7, count: 30_000)
    var options = Self.options
    options.requestTimeout = .milliseconds(200)  // The sweeper looks in a tenth of that.
    let test = try TestServer(options, known: ["/hit": true], body: body)
    let client = try RawClient(port: test.port, receiveBuffer: 4096)
    var asked = 0
    // Until the socket takes no more: what is asked then is not answered early.
    while asked < 2000 {
      client.send(.get("/hit"))
      #expect(
        await test.eventually { test.server.statistics.early > asked || test.server.statistics.unread == 1 }, "\(asked)"
      )
      if test.server.statistics.early == asked { break }
      asked += 1
    }
    #expect((1..<2000).contains(asked))
    for number in 0..<asked { #expect(client.receiveAnswer()?.body == body, "\(number) of \(asked)") }
    #expect(client.isClosedByServer())
    await test.server.close()
  }
}
