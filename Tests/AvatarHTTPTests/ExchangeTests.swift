import AvatarCore
import AvatarHTTP
import Testing

/// What goes over the wire when all is well, and the refusals that clients meet by honest mistake.
@Suite struct ExchangeTests {
  private func closing(_ test: TestServer) { Task { await test.server.close() } }

  @Test func `An answer has its fields, its length and the date, and names no server`() throws {
    let test = try TestServer { _ in
      .reply(
        HTTPReply(status: 200, headers: [HeaderField("ETag", "\"x\""), HeaderField("X-A", "b")], body: [1, 2, 3]))
    }
    let client = try test.client()
    client.send(.get("/a"))
    let answer = try #require(client.receiveAnswer())
    #expect(answer.status == 200)
    #expect(answer.body == [1, 2, 3])
    #expect(answer.values("content-length") == ["3"])
    #expect(answer.values("etag") == ["\"x\""])
    #expect(answer.values("x-a") == ["b"])
    #expect(answer.values("date").count == 1)
    #expect(answer.values("server").isEmpty)
    #expect(answer.values("connection").isEmpty)
    closing(test)
  }

  @Test func `Fields that the adapter writes are not taken from a reply`() throws {
    let own = [
      HeaderField("content-length", "99"), HeaderField("Date", "now"), HeaderField("Connection", "close"),
      HeaderField("Transfer-Encoding", "chunked"),
    ]
    let test = try TestServer { _ in .reply(HTTPReply(status: 200, headers: own, body: [7])) }
    let client = try test.client()
    for _ in 0..<2 {
      client.send(.get("/a"))
      let answer = try #require(client.receiveAnswer())
      #expect(answer.values("content-length") == ["1"])
      #expect(answer.values("date") != ["now"])
      #expect(answer.values("connection").isEmpty)
      #expect(answer.values("transfer-encoding").isEmpty)
    }
    closing(test)
  }

  @Test func `One connection serves many requests, also when they come at once`() throws {
    let test = try TestServer()
    let client = try test.client()
    for number in 0..<50 {
      client.send(.get("/\(number)"))
      #expect(client.receiveAnswer()?.text == "/\(number)")
    }
    client.send((0..<50).map { .get("/p\($0)") }.joined())
    for number in 0..<50 { #expect(client.receiveAnswer()?.text == "/p\(number)") }
    closing(test)
  }

  @Test func `A prepared reply can be sent by many connections at once and outlives its owner`() throws {
    let body = (0..<200_000).map { UInt8(truncatingIfNeeded: $0) }
    let test = try TestServer { _ in
      .prepared(MHDReplies().prepare(HTTPReply(status: 200, headers: [HeaderField("X", "y")], body: body)))
    }
    let clients = try (0..<20).map { _ in try test.client() }
    for client in clients { client.send(.get("/a")) }
    for client in clients { #expect(client.receiveAnswer()?.body == body) }
    closing(test)
  }

  @Test func `HEAD has the length of the GET and no body`() throws {
    let reply = HTTPReply(status: 200, headers: [HeaderField("ETag", "\"x\"")], body: Array("hello".utf8))
    let prepared = MHDReplies().prepare(reply)
    let test = try TestServer { $0.path == "/p" ? .prepared(prepared) : .reply(reply) }
    let client = try test.client()
    for path in ["/a", "/p", "/a"] {
      client.send("HEAD \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
      let answer = try #require(client.receiveAnswer(toHead: true))
      #expect(answer.status == 200 && answer.values("content-length") == ["5"] && answer.values("etag") == ["\"x\""])
    }
    client.send(.get("/a"))
    #expect(client.receiveAnswer()?.text == "hello")
    closing(test)
  }

  @Test func `A 304 has the length of the 200, no body, and keeps the connection`() throws {
    let reply = HTTPReply(
      status: 304,
      headers: [
        HeaderField("ETag", "\"x\""), HeaderField("Cache-Control", "max-age=1"), HeaderField("Content-Length", "12345"),
      ])
    let prepared = MHDReplies().prepare(reply)
    let test = try TestServer {
      $0.path == "/p" ? .prepared(prepared) : $0.path == "/r" ? .reply(reply) : TestServer.echo($0)
    }
    let client = try test.client()
    for path in ["/p", "/r", "/p", "/r"] {
      for method in ["GET", "HEAD"] {
        client.send("\(method) \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
        let answer = try #require(client.receiveAnswer())
        #expect(answer.status == 304 && answer.values("content-length") == ["12345"], "\(method) \(path): \(answer)")
        #expect(answer.values("etag") == ["\"x\""] && answer.values("cache-control") == ["max-age=1"])
      }
      client.send(.get("/next"))
      #expect(client.receiveAnswer()?.text == "/next")
    }
    closing(test)
  }

  @Test func `A 304 whose length is not known says none rather than a wrong one`() throws {
    let test = try TestServer { _ in .reply(HTTPReply(status: 304, headers: [HeaderField("ETag", "\"x\"")])) }
    let client = try test.client()
    client.send(.get("/a"))
    let answer = try #require(client.receiveAnswer())
    #expect(answer.status == 304 && answer.values("content-length").isEmpty && answer.values("connection") == ["close"])
    #expect(client.isClosedByServer())
    closing(test)
  }

  @Test func `HTTP/1.0 closes unless the client asks to keep the connection`() throws {
    let test = try TestServer()
    let short = try test.client()
    short.send("GET /a HTTP/1.0\r\n\r\n")
    #expect(short.receiveAnswer()?.values("connection") == ["close"])
    #expect(short.isClosedByServer())
    let long = try test.client()
    for _ in 0..<2 {
      long.send("GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
      #expect(long.receiveAnswer()?.values("connection") == ["Keep-Alive"])
    }
    let closingClient = try test.client()
    closingClient.send(.get("/a", "Connection: close\r\n"))
    #expect(closingClient.receiveAnswer()?.values("connection") == ["close"])
    #expect(closingClient.isClosedByServer())
    closing(test)
  }

  @Test func `A handler reads any field in any case, repeated ones joined, and the query as it came`() throws {
    let test = try TestServer { request in
      let values: [String?] = [
        request.header("x-one"), request.header("X-MANY"), request.header("x-none"), request.header("X-Empty"),
        request.query,
      ]
      return .reply(
        HTTPReply(status: 200, headers: [], body: Array(values.map { $0 ?? "-" }.joined(separator: "|").utf8)))
    }
    let client = try test.client()
    client.send(.get("/a?b=%20&c=+", "X-One: 1 \t\r\nx-many: a\r\nX-Many:  b, c\r\nX-Empty:\r\nX-Many: d\r\n"))
    #expect(client.receiveAnswer()?.text == "1|a, b, c, d|-||b=%20&c=+")
    closing(test)
  }

  @Test func `Fields read as absent once the answer is given`() throws {
    let late = Late()
    let test = try TestServer { request in
      late.keep(request)
      return TestServer.echo(request)
    }
    let client = try test.client()
    client.send(.get("/a", "X: y\r\n"))
    #expect(client.receiveAnswer()?.status == 200)
    #expect(late.request?.header("X") == nil)
    closing(test)
  }

  @Test(
    "Other methods get 405 with Allow and a body",
    arguments: [
      "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "CONNECT", "get", "GETX", "G",
      String(repeating: "X", count: 5000),
    ])
  func methods(method: String) throws {
    let test = try TestServer()
    for body in ["", "x"] {
      let client = try test.client()
      client.send("\(method) /a HTTP/1.1\r\nHost: a\r\n\(body.isEmpty ? "" : "Content-Length: 1\r\n")\r\n\(body)")
      let answer = try #require(client.receiveAnswer(), "\(method.prefix(20))")
      #expect(answer.status == 405 && answer.values("allow") == ["GET, HEAD"] && answer.text == "method_not_allowed")
      #expect(client.isClosedByServer())
    }
    #expect(test.handler.paths.isEmpty)
    closing(test)
  }

  @Test(
    "A target is taken to 24 KiB, and not one byte more",
    arguments: [
      (24 * 1024, 200), (24 * 1024 + 1, 414), (30_000, 414), (100_000, 414), (1_000_000, 414),
    ])
  func targets(bytes: Int, status: Int) throws {
    let test = try TestServer { _ in .reply(HTTPReply(status: 200, headers: [])) }
    let client = try test.client()
    client.send(
      .get("/" + String(repeating: "a", count: bytes - 1), "User-Agent: \(String(repeating: "u", count: 1500))\r\n"))
    #expect(client.receiveAnswer()?.status == status, "\(bytes) bytes")
    closing(test)
  }

  @Test func `Too many fields get 431`() throws {
    let test = try TestServer()
    let client = try test.client()
    client.send(.get("/a", (0..<4000).map { "X\($0): y\r\n" }.joined()))
    #expect(client.receiveAnswer()?.status == 431)
    closing(test)
  }

  @Test(
    "A body is taken to its bound", arguments: [(0, 200), (1, 200), (100_000, 200), (100_001, 413), (3_000_000, 413)])
  func bodies(bytes: Int, status: Int) throws {
    let options = HTTPServerOptions(methods: [.get, .head, .post], maximumBodyBytes: 100_000)
    let test = try TestServer(options) {
      .reply(HTTPReply(status: 200, headers: [], body: Array("\($0.body.count)".utf8)))
    }
    let client = try test.client()
    client.send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: \(bytes)\r\n\r\n")
    if bytes <= 100_001 { client.send([UInt8](repeating: 120, count: bytes)) }
    let answer = try #require(client.receiveAnswer(), "\(bytes) bytes")
    #expect(answer.status == status, "\(bytes) bytes")
    #expect(answer.text == (status == 200 ? "\(bytes)" : "body_too_large"))
    closing(test)
  }

  @Test func `A client that waits for permission to send gets it, or the refusal`() throws {
    let test = try TestServer(HTTPServerOptions(methods: [.post], maximumBodyBytes: 10))
    let client = try test.client()
    client.send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
    #expect(client.receiveAnswer()?.status == 100)
    client.send("ab")
    #expect(client.receiveAnswer()?.status == 200)
    client.send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\nExpect: 100-continue\r\n\r\n")
    #expect(client.receiveAnswer()?.status == 413)
    #expect(client.isClosedByServer())
    closing(test)
  }

  @Test func `A reply that cannot be sent is a 500 and a line in the log`() throws {
    let broken = HTTPReply(status: 200, headers: [HeaderField("X", "a\r\nY: b")])
    let prepared = MHDReplies().prepare(broken)
    let test = try TestServer { $0.path == "/p" ? .prepared(prepared) : .reply(broken) }
    for path in ["/r", "/p"] {
      let client = try test.client()
      client.send(.get(path))
      let answer = try #require(client.receiveAnswer(), "\(path)")
      #expect(answer.status == 500 && answer.values("y").isEmpty, "\(path)")
    }
    #expect(prepared.status == 500)
    #expect(test.log.events.filter { $0 == "http_reply_unsendable" }.count == 2)
    closing(test)
  }

  @Test func `A known target is answered early where the handler can, and is asked for in full where it cannot`() throws
  {
    let test = try TestServer(
      HTTPServerOptions(methods: [.get, .head, .post], maximumBodyBytes: 100, threads: 1),
      known: ["/hit?v=1": true, "/gone?v=1": false])
    let client = try test.client()
    client.send(.get("/hit?v=1"))
    #expect(client.receiveAnswer()?.text == "known")
    client.send("HEAD /hit?v=1 HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(client.receiveAnswer(toHead: true)?.values("content-length") == ["5"])
    client.send("GET /hit?v=1 HTTP/1.1\r\nHost: a\r\nIF-NONE-MATCH: \"k\"\r\n\r\n")
    #expect(client.receiveAnswer(toHead: true)?.status == 304)
    client.send("GET /hit?v=1 HTTP/1.1\r\nHost: a\r\nIf-Modified-Since: Mon, 30 Nov 2026 00:00:00 GMT\r\n\r\n")
    #expect(client.receiveAnswer()?.status == 200)
    // Not the same bytes, a body, another method: read in full.
    client.send(.get("/hit?v=2"))
    #expect(client.receiveAnswer()?.text == "/hit")
    client.send(.get("/gone?v=1"))
    #expect(client.receiveAnswer()?.text == "/gone")
    client.send("POST /hit?v=1 HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab")
    #expect(client.receiveAnswer()?.text == "/hit")
    #expect(test.handler.paths == ["/hit", "/gone", "/hit"])
    #expect(test.handler.hits.map(\.target) == Array(repeating: "/hit?v=1", count: 4) + ["/gone?v=1"])
    #expect(test.handler.hits.map(\.isConditional) == [false, false, true, true, false])
    closing(test)
  }
}
