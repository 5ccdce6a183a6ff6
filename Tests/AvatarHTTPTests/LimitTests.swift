import AvatarCore
import AvatarHTTP
import Glibc
import Testing

@Suite struct LimitTests {
  @Test func `Connections beyond the limit are closed at once, and there is room again when others leave`() async throws
  {
    let test = try TestServer(HTTPServerOptions(threads: 3, maxConnections: 20))
    var clients = try (0..<20).map { _ in try test.client() }
    for client in clients {
      client.send(.get("/a"))
      #expect(client.receiveAnswer()?.text == "/a")
    }
    for _ in 0..<10 { #expect(try test.client().isClosedByServer()) }
    #expect(await test.eventually { test.server.statistics.refused == 10 })
    #expect(test.server.statistics.accepted == 20)
    clients.removeLast(5)
    #expect(await test.eventually { test.server.statistics.connections == 15 })
    let late = try (0..<5).map { _ in try test.client() }
    for client in late {
      client.send(.get("/b"))
      #expect(client.receiveAnswer()?.text == "/b")
    }
    await test.server.close()
  }

  @Test func `A storm of clients never gets past the limit`() async throws {
    let test = try TestServer(HTTPServerOptions(threads: 4, maxConnections: 10))
    let clients = try (0..<200).map { _ in try test.client() }
    for client in clients { client.send(.get("/a")) }
    let answers = clients.filter { $0.receiveAnswer() != nil }.count
    #expect(answers == 10)
    #expect(await test.eventually { test.server.statistics.refused == 190 })
    await test.server.close()
  }

  /// The library's event loop takes 128 events at a time and, after exactly so many, waited for others before it looked
  /// at them: 128 clients that sent while it was busy, and nobody after them, got no answer.
  @Test("Any number of clients that come while a loop is busy are answered", arguments: [126, 127, 128, 129, 256])
  func batch(count: Int) async throws {
    let isBusy = Flag()
    let go = Flag()
    let test = try TestServer(HTTPServerOptions(threads: 1)) { request in
      if request.path == "/busy" {
        isBusy.set()
        while !go.isSet { usleep(100) }
      }
      return TestServer.echo(request)
    }
    let clients = try (0..<count).map { _ in try test.client() }
    #expect(await test.eventually { test.server.statistics.connections == count })
    let busy = try test.client()
    busy.send(.get("/busy"))
    #expect(await test.eventually { isBusy.isSet })
    for client in clients { client.send(.get("/a")) }
    go.set()
    #expect(clients.filter { $0.receiveAnswer()?.text == "/a" }.count == count)
    await test.server.close()
  }

  @Test func `A taken port is a fault that names it`() async throws {
    let test = try TestServer()
    do {
      _ = try TestServer(HTTPServerOptions(port: test.port))
      Issue.record("two servers listen on one port")
    } catch let error as AvatarError {
      #expect(error.code == .internalFault && error.detail.contains("\(test.port)"), "\(error)")
    }
    await test.server.close()
  }

  @Test("What is not an address is a fault", arguments: ["", "no such host.invalid", "999.1.1.1", "192.0.2.1"])
  func badAddress(host: String) throws {
    #expect(throws: AvatarError.self, "\(host)") { try TestServer(HTTPServerOptions(host: host)) }
  }

  @Test(
    "Every way to write a loopback or wildcard address works",
    arguments: ["127.0.0.1", "localhost", "0.0.0.0", "::", "[::]"])
  func goodAddress(host: String) async throws {
    let test = try TestServer(HTTPServerOptions(host: host))
    if let client = try? test.client() {
      client.send(.get("/a"))
      #expect(client.receiveAnswer()?.text == "/a", "\(host)")
    } else {
      // A name may mean the IPv6 loopback.
      #expect(host == "localhost")
    }
    await test.server.close()
  }

  @Test func `More descriptors than the system has are a fault with a number`() {
    do {
      try DescriptorLimit.raise(to: 1 << 40)
      Issue.record("the limit is not one")
    } catch {
      #expect(error.code == .internalFault && error.detail.contains("\(1 << 40)"), "\(error)")
    }
  }
}
