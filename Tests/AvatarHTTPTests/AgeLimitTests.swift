import AvatarCore
import AvatarHTTP
import Testing

/// Clients that are slow on purpose. The limits are short here; nothing asserts how long anything took, only that it ends.
@Suite struct AgeLimitTests {
  private let short = HTTPServerOptions(
    methods: [.get, .head, .post], maximumBodyBytes: 1000, idleTimeout: .seconds(60),
    requestTimeout: .milliseconds(300),
    responseTimeout: .milliseconds(300))

  /// Sends one byte each 20 ms until the other side has closed; false if it takes all of them.
  private func drip(_ client: RawClient, _ text: String) async -> Bool {
    for byte in text.utf8 {
      guard client.send([byte]) else { return true }
      try? await Task.sleep(for: .milliseconds(20))
    }
    return false
  }

  @Test(
    "A request that drips in is cut off wherever it drips",
    arguments: [
      "", "GET /a?" + String(repeating: "x", count: 300), "GET /a HTTP/1.1\r\nX: " + String(repeating: "x", count: 300),
      "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 400\r\n\r\n" + String(repeating: "x", count: 300),
      "\r\n\r\n\r\n\r\n" + String(repeating: "\r\n", count: 200),
    ])
  func slowFirst(text: String) async throws {
    let test = try TestServer(short)
    let client = try test.client()
    if !text.isEmpty { #expect(await drip(client, text), "\(text.prefix(30))") }
    #expect(client.receiveToEnd() == [])
    #expect(test.handler.paths.isEmpty)
    #expect(await test.eventually { test.server.statistics.slowRequests == 1 })
    await test.server.close()
  }

  @Test(
    "A later request that drips in is cut off as well",
    arguments: [
      "GET /b?" + String(repeating: "x", count: 300), "GET /b HTTP/1.1\r\nX: " + String(repeating: "x", count: 300),
    ])
  func slowLater(text: String) async throws {
    let test = try TestServer(short)
    let client = try test.client()
    client.send(.get("/a"))
    #expect(client.receiveAnswer()?.text == "/a")
    #expect(await drip(client, text), "\(text.prefix(30))")
    #expect(test.handler.paths == ["/a"])
    #expect(await test.eventually { test.server.statistics.slowRequests == 1 })
    await test.server.close()
  }

  @Test func `A connection that is silent between requests is not cut off by the request's limit`() async throws {
    var options = short
    options.requestTimeout = .seconds(2)
    let test = try TestServer(options)
    let client = try test.client()
    for round in 0..<2 {
      client.send(.get("/\(round)"))
      #expect(client.receiveAnswer()?.text == "/\(round)")
      // Longer than requestTimeout, so that the limit would strike.
      if round == 0 { try? await Task.sleep(for: .milliseconds(2600)) }
    }
    #expect(test.server.statistics.slowRequests == 0)
    await test.server.close()
  }

  @Test func `A hundred slow clients keep nobody else waiting`() async throws {
    let test = try TestServer(short)
    let slow = try (0..<100).map { _ in try test.client() }
    for client in slow { client.send("G") }
    let quick = try test.client()
    quick.send(.get("/a"))
    #expect(quick.receiveAnswer()?.text == "/a")
    for client in slow { #expect(client.receiveToEnd() == []) }
    #expect(await test.eventually { test.server.statistics.slowRequests == 100 })
    await test.server.close()
  }

  @Test func `A handler may take longer than a request or an answer`() async throws {
    let promises = Promises()
    let test = try TestServer(short) { _ in .later { promises.keep($0) } }
    let client = try test.client()
    client.send(.get("/a"))
    #expect(await test.eventually { promises.count == 1 })
    try? await Task.sleep(for: .milliseconds(800))
    for responder in promises.take() { responder.send(HTTPReply(status: 200, headers: [], body: [1])) }
    #expect(client.receiveAnswer()?.body == [1])
    await test.server.close()
  }

  @Test func `A client that does not read its answer is cut off`() async throws {
    let body = [UInt8](repeating: 1, count: 20_000_000)
    let reply = MHDReplies().prepare(HTTPReply(status: 200, headers: [], body: body))
    let test = try TestServer(short) { _ in .prepared(reply) }
    let client = try RawClient(port: test.port, receiveBuffer: 4096)
    client.send(.get("/a"))
    #expect(await test.eventually { test.server.statistics.slowResponses == 1 })
    #expect(await test.eventually { test.server.statistics.connections == 0 })
    #expect((client.receiveToEnd() ?? []).count < body.count)
    await test.server.close()
  }

  @Test func `A connection without requests ends by the idle timeout`() throws {
    var options = short
    options.idleTimeout = .seconds(1)
    let test = try TestServer(options)
    let client = try test.client()
    client.send(.get("/a"))
    #expect(client.receiveAnswer()?.text == "/a")
    #expect(client.isClosedByServer())
    #expect(test.server.statistics.slowRequests == 0)
    Task { await test.server.close() }
  }
}
