import AvatarCore
import AvatarHTTP
import Glibc
import Synchronization
import Testing

/// A request that was kept for later.
final class Late: Sendable {
  private let kept = Mutex<HTTPRequest?>(nil)
  var request: HTTPRequest? { kept.withLock { $0 } }
  func keep(_ request: HTTPRequest) { kept.withLock { $0 = request } }
}

/// Answers that come later.
@Suite struct SuspensionTests {
  private func reply(_ text: String) -> HTTPReply { HTTPReply(status: 200, headers: [], body: Array(text.utf8)) }

  @Test func `An answer may come at once, from another thread, and after the one behind it`() async throws {
    let promises = Promises()
    let reply = reply("now")
    let test = try TestServer { request in
      .later { responder in
        if request.path == "/now" { responder.send(reply) } else { promises.keep(responder) }
      }
    }
    let client = try test.client()
    let other = try test.client()
    for _ in 0..<20 {
      client.send(.get("/wait"))
      #expect(await test.eventually { promises.count == 1 })
      other.send(.get("/now"))
      #expect(other.receiveAnswer()?.text == "now")
      for responder in promises.take() { responder.send(self.reply("late")) }
      #expect(client.receiveAnswer()?.text == "late")
    }
    await test.server.close()
  }

  @Test func `A prepared reply, HEAD and pipelined requests work later too`() async throws {
    let prepared = MHDReplies().prepare(reply("hello"))
    let test = try TestServer { _ in .later { responder in responder.send(prepared) } }
    let client = try test.client()
    client.send("HEAD /a HTTP/1.1\r\nHost: a\r\n\r\n" + .get("/b") + .get("/c"))
    #expect(client.receiveAnswer(toHead: true)?.values("content-length") == ["5"])
    #expect(client.receiveAnswer()?.text == "hello")
    #expect(client.receiveAnswer()?.text == "hello")
    await test.server.close()
  }

  @Test func `Fields can be read as long as anybody has the request`() async throws {
    let promises = Promises()
    let late = Late()
    let test = try TestServer { request in
      late.keep(request)
      return .later { promises.keep($0) }
    }
    let client = try test.client()
    client.send(.get("/a", "X: y\r\nx: z\r\n"))
    #expect(await test.eventually { promises.count == 1 })
    #expect(late.request?.header("X") == "y, z")
    #expect(late.request?.header("Y") == nil)
    for responder in promises.take() { responder.send(reply("")) }
    #expect(client.receiveAnswer()?.status == 200)
    #expect(late.request?.header("host") == "a")
    await test.server.close()
  }

  @Test func `A responder that is dropped answers 500`() async throws {
    let promises = Promises()
    let test = try TestServer { request in .later { if request.path == "/kept" { promises.keep($0) } } }
    let client = try test.client()
    client.send(.get("/dropped"))
    #expect(client.receiveAnswer()?.text == "internal")
    client.send(.get("/kept"))
    #expect(await test.eventually { promises.count == 1 })
    _ = promises.take()
    #expect(client.receiveAnswer()?.text == "internal")
    #expect(test.log.events.filter { $0 == "http_reply_abandoned" }.count == 2)
    await test.server.close()
  }

  @Test func `Only the first answer counts, however many send at once`() async throws {
    let test = try TestServer { _ in
      .later { responder in
        for number in 0..<8 {
          Thread.start { responder.send(HTTPReply(status: 200, headers: [], body: Array("\(number)".utf8))) }
        }
      }
    }
    let client = try test.client()
    for _ in 0..<200 {
      client.send(.get("/a"))
      let answer = try #require(client.receiveAnswer())
      #expect(answer.text.count == 1)
    }
    client.send(.get("/a", "Connection: close\r\n"))
    #expect(client.receiveToEnd().flatMap(Answer.parseAll)?.count == 1)
    await test.server.close()
  }

  @Test func `2,000 connections wait at once and each gets its own answer`() async throws {
    let waiting = Mutex<[(path: String, responder: any HTTPResponder)]>([])
    let test = try TestServer { request in
      .later { responder in waiting.withLock { $0.append((request.path, responder)) } }
    }
    let clients = try (0..<2000).map { number in
      let client = try test.client()
      client.send(.get("/\(number)"))
      return client
    }
    #expect(await test.eventually { waiting.withLock { $0.count } == 2000 })
    #expect(test.server.statistics.waiting == 2000)
    for (path, responder) in waiting.withLock({ $0 }) { responder.send(reply(path)) }
    for (number, client) in clients.enumerated() { #expect(client.receiveAnswer()?.text == "/\(number)") }
    #expect(await test.eventually { test.server.statistics.inFlight == 0 })
    #expect(test.server.statistics.waiting == 0)
    await test.server.close()
  }

  @Test func `A client that has gone is no trouble`() async throws {
    let promises = Promises()
    let test = try TestServer { _ in .later { promises.keep($0) } }
    for _ in 0..<100 {
      let client = try test.client()
      client.send(.get("/a"))
    }
    #expect(await test.eventually { promises.count == 100 })
    for responder in promises.take() { responder.send(reply("nobody")) }
    #expect(await test.eventually { test.server.statistics.connections == 0 })
    #expect(test.server.statistics.inFlight == 0)
    await test.server.close()
  }
}

/// A detached thread for tests that want real ones.
enum Thread {
  static func start(_ body: @escaping @Sendable () -> Void) {
    let box = Unmanaged.passRetained(Box(body))
    var handle = pthread_t()
    let failure = pthread_create(
      &handle, nil,
      { box in
        box.map { Unmanaged<Box>.fromOpaque($0).takeRetainedValue().body() }
        return nil
      }, box.toOpaque())
    if failure == 0 { pthread_detach(handle) } else { box.release() }
  }

  private final class Box: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
}
