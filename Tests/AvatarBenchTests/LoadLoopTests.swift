import Testing

@testable import AvatarBench

/// The generator against a server of which every answer is known.
struct LoadLoopTests {
  private func run(
    _ arrivals: LoadPlan.Arrivals, connections: Int = 1, milliseconds: Int = 300, order: LoadPlan.Order = .inTurn,
    count: Int = 1, threads: Int = 1, opensNewConnections: Bool = false, answerLimit: Duration = .seconds(10),
    _ react: @escaping @Sendable (Int) -> ScriptedServer.Reaction = { _ in .say(ScriptedServer.plain) }
  ) throws -> (outcome: LoadOutcome, server: ScriptedServer) {
    let server = try ScriptedServer(react)
    defer { server.stop() }
    var plan = LoadPlan(
      target: server.endpoint, book: RequestBook(host: "test", targets: (0..<count).map { "/\($0)" }),
      arrivals: arrivals, connections: connections, duration: .milliseconds(milliseconds), order: order)
    plan.threads = threads
    plan.opensNewConnections = opensNewConnections
    plan.answerLimit = answerLimit
    return (try LoadRun.run(plan), server)
  }

  @Test func `an open loop sends all that is due, and counts a stall from when each was`() throws {
    // 100 requests in half a second on one connection; the eleventh holds the server up for 300 ms.
    let (outcome, server) = try run(.open(perSecond: 200), milliseconds: 500) { number in
      number == 10 ? .stall(milliseconds: 300) : .say(ScriptedServer.plain)
    }
    #expect(outcome.answers == 100)
    #expect(server.requests.count == 100)
    #expect(outcome.faults == 0)
    // Due every 5 ms: of those due in the first 200 ms of the stall there are 40, and each waited 100 ms at least.
    #expect(outcome.latency.value(at: 0.65) >= 100_000_000)
    #expect(outcome.latency.maximum >= 300_000_000)
  }

  @Test func `a closed loop sends when it has its answer: the same stall is one latency`() throws {
    let (outcome, server) = try run(.closed, milliseconds: 500) { number in
      number == 10 ? .stall(milliseconds: 300) : .say(ScriptedServer.plain)
    }
    #expect(outcome.answers == server.requests.count)
    #expect(outcome.latency.maximum >= 300_000_000)
    #expect(outcome.latency.value(at: 0.5) < 300_000_000)
    #expect(server.connections == 1)
  }

  @Test func `a burst is one request on each connection`() throws {
    let (outcome, server) = try run(.burst, connections: 50)
    #expect(outcome.answers == 50)
    #expect(server.requests.count == 50)
    #expect(server.connections == 50)
  }

  @Test(arguments: [1, 3]) func `a book sent once is each request once, whatever the threads`(_ threads: Int) throws {
    let (outcome, server) = try run(
      .closed, connections: 6, milliseconds: 10_000, order: .once, count: 40, threads: threads)
    #expect(outcome.answers == 40)
    #expect(Set(server.requests) == Set((0..<40).map { "GET /\($0) HTTP/1.1" }))
  }

  @Test func `new connections are one for each request`() throws {
    let (outcome, server) = try run(
      .closed, milliseconds: 10_000, order: .once, count: 12, opensNewConnections: true)
    #expect(outcome.answers == 12)
    #expect(server.connections == 12)
  }

  @Test func `a wrong status is a fault and no latency; hits are counted`() throws {
    let (outcome, _) = try run(.closed, milliseconds: 10_000, order: .once, count: 9) { number in
      switch number % 3 {
      case 0: .say("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n")
      case 1: .say("HTTP/1.1 200 OK\r\nCache-Status: a; hit\r\nContent-Length: 3\r\n\r\nyes")
      default: .say(ScriptedServer.plain)
      }
    }
    #expect(outcome.statuses == [503: 3, 200: 6])
    #expect(outcome.wrong == 3)
    #expect(outcome.faults == 3)
    #expect(outcome.answers == 6)
    #expect(outcome.hits == 3)
    #expect(outcome.bytes == 15)
  }

  @Test func `a connection that ends instead of an answer is a fault, and the next request has another`() throws {
    let (outcome, server) = try run(.closed, milliseconds: 10_000, order: .once, count: 6) { number in
      number % 2 == 0 ? .close : .sayAndClose("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\n!")
    }
    #expect(outcome.failures == [.closed: 3])
    #expect(outcome.answers == 3)
    #expect(server.connections >= 6)
  }

  @Test func `what is no HTTP is malformed, and an interim answer is none that is looked for`() throws {
    let (outcome, _) = try run(.closed, milliseconds: 10_000, order: .once, count: 4) { number in
      .say(number % 2 == 0 ? "220 mail ready\r\n\r\n" : "HTTP/1.1 103 Early Hints\r\n\r\n")
    }
    #expect(outcome.failures == [.malformed: 4])
  }

  @Test func `no answer within the limit is late, and so is what could never be sent`() throws {
    let (outcome, server) = try run(.open(perSecond: 50), milliseconds: 400, answerLimit: .milliseconds(200)) { _ in
      .silence
    }
    #expect(outcome.answers == 0)
    // All 20 that were due are accounted for, though the one connection sent only a few of them.
    #expect(outcome.failures == [.late: 20])
    #expect(server.requests.count < 20)
  }

  @Test func `nobody there is a fault for each request`() throws {
    // Port 1 of loopback: nobody listens there.
    let plan = LoadPlan(
      target: Endpoint(loopback: 1), book: RequestBook(host: "test", targets: ["/"]), arrivals: .burst, connections: 3,
      duration: .milliseconds(100))
    let outcome = try LoadRun.run(plan)
    #expect(outcome.failures == [.connect: 3])
  }
}
