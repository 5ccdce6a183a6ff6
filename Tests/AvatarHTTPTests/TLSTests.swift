import AvatarCore
import AvatarHTTP
import Testing

/// HTTPS with certificates that are made for the test, seen through the openssl command.
@Suite struct TLSTests {
  private static func run(_ arguments: [String], input: String = "") throws -> String {
    try Command.output(of: "/usr/bin/openssl", arguments, input: input)
  }

  private static func identity(_ name: String) throws -> TLSIdentity {
    let text = try run([
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
      "/CN=\(name)", "-keyout", "/dev/stdout", "-out", "/dev/stdout",
    ])
    let parts = text.split(separator: "-----BEGIN CERTIFICATE-----")
    try #require(parts.count == 2, "openssl gave \(text)")
    return TLSIdentity(certificatePEM: "-----BEGIN CERTIFICATE-----\(parts[1])", keyPEM: String(parts[0]))
  }

  /// What `s_client` shows for one request that ends its connection.
  private func talk(_ port: UInt16, _ extra: [String] = []) throws -> String {
    try Self.run(
      ["s_client", "-connect", "127.0.0.1:\(port)", "-ign_eof", "-alpn", "http/1.1"] + extra,
      input: .get("/hello", "Connection: close\r\n"))
  }

  @Test func `HTTPS is served with TLS 1.2 and 1.3 and nothing older`() async throws {
    let test = try TestServer(HTTPServerOptions(tls: Self.identity("first")))
    for version in ["-tls1_2", "-tls1_3"] {
      let text = try talk(test.port, [version])
      #expect(
        text.contains("HTTP/1.1 200") && text.contains("/hello") && text.contains("CN = first"), "\(version): \(text)")
      #expect(text.contains("ALPN protocol: http/1.1"), "\(version)")
    }
    let old = try talk(test.port, ["-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0"])
    #expect(!old.contains("HTTP/1.1"), "\(old)")
    await test.server.close()
  }

  @Test func `A new certificate is for new connections, and old ones end with their answer`() async throws {
    let promises = Promises()
    let test = try TestServer(HTTPServerOptions(tls: Self.identity("first"))) { request in
      request.path == "/wait" ? .later { promises.keep($0) } : TestServer.echo(request)
    }
    let port = test.port
    let waiting = Task.detached {
      try Self.run(["s_client", "-connect", "127.0.0.1:\(port)", "-ign_eof"], input: .get("/wait"))
    }
    #expect(await test.eventually { promises.count == 1 })
    try test.server.reloadTLS(Self.identity("second"))
    #expect(try talk(test.port).contains("CN = second"))
    for responder in promises.take() { responder.send(HTTPReply(status: 200, headers: [], body: Array("late".utf8))) }
    let text = try await waiting.value
    #expect(text.contains("CN = first") && text.contains("late") && text.contains("Connection: close"), "\(text)")
    #expect(await test.eventually { test.server.statistics.connections == 0 })
    for name in ["third", "fourth"] {
      try test.server.reloadTLS(Self.identity(name))
      #expect(try talk(test.port).contains("CN = \(name)"))
    }
    await test.server.close()
  }

  @Test func `A bad certificate is refused and the present one stays`() async throws {
    let first = try Self.identity("first")
    let second = try Self.identity("second")
    let bad = [
      TLSIdentity(certificatePEM: "", keyPEM: ""),
      TLSIdentity(certificatePEM: "nonsense", keyPEM: "nonsense"),
      TLSIdentity(certificatePEM: first.certificatePEM, keyPEM: second.keyPEM),
      TLSIdentity(certificatePEM: first.keyPEM, keyPEM: first.certificatePEM),
    ]
    let test = try TestServer(HTTPServerOptions(tls: first))
    for identity in bad {
      #expect(throws: AvatarError.self) { try test.server.reloadTLS(identity) }
      #expect(throws: AvatarError.self) { try TestServer(HTTPServerOptions(tls: identity)) }
    }
    #expect(try talk(test.port).contains("CN = first"))
    let plain = try TestServer()
    #expect(throws: AvatarError.self) { try plain.server.reloadTLS(first) }
    await plain.server.close()
    await test.server.close()
  }

  @Test func `A handshake that never comes is cut off`() async throws {
    let options = HTTPServerOptions(requestTimeout: .milliseconds(300), tls: try Self.identity("first"))
    let test = try TestServer(options)
    let client = try test.client()
    client.send([0x16, 0x03, 0x01])
    #expect(client.isClosedByServer())
    #expect(await test.eventually { test.server.statistics.slowRequests == 1 })
    await test.server.close()
  }

  @Test func `Plain HTTP on the HTTPS port is not answered`() async throws {
    let test = try TestServer(HTTPServerOptions(tls: Self.identity("first")))
    let client = try test.client()
    client.send(.get("/a"))
    let bytes = try #require(client.receiveToEnd())
    #expect(!String(decoding: bytes, as: UTF8.self).contains("200"))
    await test.server.close()
  }
}
