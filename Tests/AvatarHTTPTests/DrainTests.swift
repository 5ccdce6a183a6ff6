import AvatarCore
import AvatarHTTP
import Glibc
import Synchronization
import Testing

/// The end of a server. The library aborts the process when it is stopped wrongly: these would not fail, they would crash.
@Suite struct DrainTests {
  private func reply(_ text: String) -> HTTPReply { HTTPReply(status: 200, headers: [], body: Array(text.utf8)) }

  @Test func `While draining each answer ends its connection and new ones are taken`() async throws {
    let prepared = MHDReplies().prepare(reply("p"))
    let test = try TestServer(known: ["/hit": true]) { $0.path == "/p" ? .prepared(prepared) : TestServer.echo($0) }
    let old = try ["/p", "/hit"].map { (path: $0, client: try test.client()) }
    for (path, client) in old {
      client.send(.get(path))
      #expect(client.receiveAnswer()?.values("connection") == [], "\(path)")
    }
    test.server.beginDrain()
    for (path, client) in old {
      client.send(.get(path))
      #expect(client.receiveAnswer()?.values("connection") == ["close"], "\(path)")
      #expect(client.isClosedByServer(), "\(path)")
    }
    for path in ["/p", "/a", "/hit"] {
      let new = try test.client()
      new.send(.get(path))
      #expect(new.receiveAnswer()?.values("connection") == ["close"], "\(path)")
      #expect(new.isClosedByServer())
    }
    await test.server.close()
  }

  @Test func `After it stops accepting clients are refused and present requests are answered`() async throws {
    let promises = Promises()
    let test = try TestServer { _ in .later { promises.keep($0) } }
    let client = try test.client()
    client.send(.get("/a"))
    #expect(await test.eventually { promises.count == 1 })
    test.server.beginDrain()
    test.server.stopAccepting()
    test.server.stopAccepting()
    #expect(throws: RawClient.Refused.self) { try test.client() }
    #expect(await test.server.waitUntilIdle(until: .after(.milliseconds(20))) == false)
    for responder in promises.take() { responder.send(self.reply("late")) }
    #expect(client.receiveAnswer()?.text == "late")
    #expect(await test.server.waitUntilIdle(until: .after(.seconds(10))))
    await test.server.close()
    await test.server.close()
  }

  @Test func `Closing answers 503 to all that wait, and late answers are ignored`() async throws {
    let promises = Promises()
    let test = try TestServer { _ in .later { promises.keep($0) } }
    let clients = try (0..<500).map { _ in
      let client = try test.client()
      client.send(.get("/a"))
      return client
    }
    #expect(await test.eventually { promises.count == 500 })
    await test.server.close(grace: .seconds(60))
    for client in clients {
      let answer = client.receiveAnswer()
      #expect(answer?.status == 503 && answer?.values("connection") == ["close"])
      #expect(client.isClosedByServer())
    }
    for responder in promises.take() { responder.send(self.reply("too late")) }
    #expect(throws: RawClient.Refused.self) { try test.client() }
  }

  @Test func `Closing at any moment of a busy life harms nobody`() async throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededGenerator(seed: seed)
    for _ in 0..<40 {
      let promises = Promises()
      let reply = reply("x")
      let test = try TestServer(HTTPServerOptions(maxConnections: 300)) { request in
        switch request.path {
        case "/now": .reply(reply)
        case "/soon": .later { responder in Thread.start { responder.send(reply) } }
        case "/drop": .later { _ in }
        default: .later { promises.keep($0) }
        }
      }
      let isOver = Flag()
      let threads = Countdown(4)
      for number in 0..<4 {
        let port = test.port
        Thread.start {
          while !isOver.isSet, let client = try? RawClient(port: port) {
            let paths = ["/now", "/soon", "/drop", "/never"]
            client.send((0..<4).map { .get(paths[($0 + number) % 4]) }.joined())
            if number > 1 { _ = client.receive() }
          }
          threads.down()
        }
      }
      Thread.start {
        while !isOver.isSet {
          for responder in promises.take() { responder.send(reply) }
          usleep(200)
        }
      }
      try? await Task.sleep(for: .microseconds(Int.random(in: 0...30_000, using: &random)))
      await test.server.close(grace: .milliseconds(Int.random(in: 0...20, using: &random)))
      #expect(test.server.statistics.connections == 0, "seed \(seed)")
      #expect(test.server.statistics.waiting == 0, "seed \(seed)")
      #expect(test.server.statistics.inFlight == 0, "seed \(seed)")
      isOver.set()
      #expect(await test.eventually { threads.isZero }, "seed \(seed)")
    }
  }

  @Test func `A server that was never asked anything closes`() async throws {
    for _ in 0..<20 {
      let test = try TestServer()
      await test.server.close()
    }
  }

  @Test func `Half a request does not hold up the end`() async throws {
    let test = try TestServer()
    let client = try test.client()
    client.send("GET /a HTT")
    #expect(await test.eventually { test.server.statistics.connections == 1 })
    test.server.beginDrain()
    test.server.stopAccepting()
    #expect(await test.server.waitUntilIdle(until: .after(.seconds(10))))
    await test.server.close()
    #expect(client.receiveToEnd() == [])
  }
}

/// Set once.
final class Flag: Sendable {
  private let value = Atomic<Bool>(false)
  var isSet: Bool { value.load(ordering: .acquiring) }
  func set() { value.store(true, ordering: .releasing) }
}

/// Counts down to zero.
final class Countdown: Sendable {
  private let left: Atomic<Int>
  init(_ count: Int) { left = Atomic(count) }
  var isZero: Bool { left.load(ordering: .acquiring) == 0 }
  func down() { left.wrappingSubtract(1, ordering: .acquiringAndReleasing) }
}
