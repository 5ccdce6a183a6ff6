import AvatarCore
import AvatarHTTP
import Testing

/// What another server in front might read differently: each is refused, the connection ends, and nothing behind it is
/// taken for a request.
@Suite struct SmugglingTests {
  private static let hidden = "GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n"

  private static let hostile: [(name: String, head: String)] = [
    ("both lengths", "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    (
      "both lengths, other order",
      "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n"
    ),
    ("chunked", "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    ("chunked GET", "GET /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    ("identity coding", "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: identity\r\n\r\n"),
    ("unknown coding", "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"),
    ("blank before the colon", "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n"),
    ("tab before the colon", "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length\t: 5\r\n\r\n"),
    ("blank before the name", "POST /a HTTP/1.1\r\n Host: a\r\n\r\n"),
    ("folded coding", "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n"),
    ("folded coding, tab", "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \r\n\tchunked\r\n\r\n0\r\n\r\n"),
    ("folded length", "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n 5\r\n\r\n"),
    ("folded elsewhere", "GET /a HTTP/1.1\r\nHost: a\r\nX: b\r\n c\r\n\r\n"),
    ("short fold at the end", "GET /a HTTP/1.1\r\nHost: a\r\nA: \r\n b\r\n\r\n"),
    ("two lengths", "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n"),
    ("the same length twice", "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nContent-Length: 0\r\n\r\n"),
    ("a list of lengths", "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 0, 0\r\n\r\n"),
    ("signed length", "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: +5\r\n\r\n"),
    ("negative length", "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n"),
    ("hexadecimal length", "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 0x5\r\n\r\n"),
    ("empty length", "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\n"),
    ("endless length", "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999999\r\n\r\n"),
    ("overlong length", "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 0000000000000000000000000\r\n\r\n"),
    ("GET with a body", "GET /a HTTP/1.1\r\nHost: a\r\nContent-Length: \(hidden.utf8.count)\r\n\r\n"),
    ("HEAD with a body", "HEAD /a HTTP/1.1\r\nHost: a\r\nContent-Length: \(hidden.utf8.count)\r\n\r\n"),
    ("no Host", "GET /a HTTP/1.1\r\nX: a\r\n\r\n"),
    ("no field at all", "GET /a HTTP/1.1\r\n\r\n"),
    ("two Hosts", "GET /a HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"),
    ("empty Host", "GET /a HTTP/1.1\r\nHost:\r\n\r\n"),
    ("Host with a path", "GET /a HTTP/1.1\r\nHost: a/b\r\n\r\n"),
    ("Host with a user", "GET /a HTTP/1.1\r\nHost: u@a\r\n\r\n"),
    ("Host with a blank", "GET /a HTTP/1.1\r\nHost: a b\r\n\r\n"),
    ("another authority", "GET http://b/a HTTP/1.1\r\nHost: a\r\n\r\n"),
    ("bare LF after the line", "GET /a HTTP/1.1\nHost: a\r\n\r\n"),
    ("bare LF after a field", "GET /a HTTP/1.1\r\nHost: a\nX: b\r\n\r\n"),
    ("bare LF at the end", "GET /a HTTP/1.1\r\nHost: a\r\n\n"),
    ("bare LF throughout", "GET /a HTTP/1.1\nHost: a\n\n"),
    ("bare CR in a value", "GET /a HTTP/1.1\r\nHost: a\r\nX: b\rTransfer-Encoding: chunked\r\n\r\n"),
    ("NUL in a value", "GET /a HTTP/1.1\r\nHost: a\r\nX: b\0c\r\n\r\n"),
    ("two NULs for a line end", "GET /a HTTP/1.1\r\nHost: a\r\nX: b\0\0Content-Length: 5\r\n\r\n"),
    ("two NULs, last field", "GET /a HTTP/1.1\r\nHost: a\r\nX: b\0\0\r\n\r\n"),
    ("NUL in a name", "GET /a HTTP/1.1\r\nHost: a\r\nContent-\0Length: 5\r\n\r\n"),
    ("NUL in the target", "GET /a\0b HTTP/1.1\r\nHost: a\r\n\r\n"),
    ("NUL in the method", "GE\0T /a HTTP/1.1\r\nHost: a\r\n\r\n"),
    ("encoded NUL", "GET /a%00b HTTP/1.1\r\nHost: a\r\n\r\n"),
    ("dot segments", "GET /a/../b HTTP/1.1\r\nHost: a\r\n\r\n"),
    ("encoded dot segments", "GET /a/%2e%2e/b HTTP/1.1\r\nHost: a\r\n\r\n"),
    ("two blanks", "GET  /a HTTP/1.1\r\nHost: a\r\n\r\n"),
    ("blank in the target", "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n"),
    ("tab in the target", "GET /a\tb HTTP/1.1\r\nHost: a\r\n\r\n"),
    ("blank after the version", "GET /a HTTP/1.1 \r\nHost: a\r\n\r\n"),
    ("no version", "GET /a\r\nHost: a\r\n\r\n"),
    ("other version", "GET /a HTTP/2.0\r\nHost: a\r\n\r\n"),
    ("no colon", "GET /a HTTP/1.1\r\nHost: a\r\nX\r\n\r\n"),
    ("empty name", "GET /a HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n"),
    ("name with a bracket", "GET /a HTTP/1.1\r\nHost: a\r\nX(y): b\r\n\r\n"),
    ("name that is not ASCII", "GET /a HTTP/1.1\r\nHost: a\r\nTransfer-Encodin\u{E9}: b\r\n\r\n"),
  ]

  /// What the library refuses by itself, before we see a head: its answer to a bad Content-Length has its head twice.
  private static let refusedByLibrary: Set<String> = [
    "blank before the name", "a list of lengths", "signed length", "negative length", "hexadecimal length",
    "empty length",
    "endless length", "blank after the version", "no version", "other version", "no colon", "NUL in a name",
  ]

  @Test("A hostile request is refused, the connection closed, and what follows is not served", arguments: hostile)
  func refused(name: String, head: String) throws {
    // A target that is known already makes no head better.
    for (methods, known) in [([.get, .head], ["/a": true]), ([.get, .head, .post], [:])]
      as [(Set<HTTPRequest.Method>, [String: Bool])]
    {
      let test = try TestServer(
        HTTPServerOptions(methods: methods, maximumBodyBytes: methods.contains(.post) ? 1000 : 0, threads: 1),
        known: known)
      let client = try test.client()
      client.send(head + Self.hidden)
      let bytes = try #require(client.receiveToEnd(), "\(name): the connection stays open")
      let text = String(decoding: bytes, as: UTF8.self)
      if Self.refusedByLibrary.contains(name) {
        #expect(["HTTP/1.1 400", "HTTP/1.1 413", "HTTP/1.1 505"].contains { text.hasPrefix($0) }, "\(name): \(text)")
      } else {
        let isHead = head.hasPrefix("HEAD")
        let (answer, rest) = try #require(Answer.parse(bytes, toHead: isHead), "\(name): \(text)")
        #expect(answer.status == 400 && (isHead || answer.text == "invalid_request"), "\(name): \(text)")
        #expect(answer.values("connection") == ["close"] && rest.isEmpty, "\(name): \(text)")
      }
      #expect(test.handler.paths.isEmpty, "\(name) reached the handler as \(test.handler.paths)")
      #expect(test.handler.hits.isEmpty, "\(name) was answered early as \(test.handler.hits)")
      Task { await test.server.close() }
    }
  }

  @Test func `The same requests in good form are served`() throws {
    let test = try TestServer(HTTPServerOptions(methods: [.get, .head, .post], maximumBodyBytes: 1000, threads: 1))
    let client = try test.client()
    let good = [
      "GET /1 HTTP/1.1\r\nHost: a\r\n\r\n",
      "\r\nGET /2 HTTP/1.1\r\nHost:a:80\t \r\nX:\r\nY: \t b \t\r\nContent-Length: 0\r\n\r\n",
      "POST /3 HTTP/1.1\r\nHOST: [::1]:80\r\ncontent-length: \(Self.hidden.utf8.count)\r\n\r\n\(Self.hidden)",
      "POST /4 HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET http://A/5?q HTTP/1.1\r\nHost: a\r\nX-\(String(repeating: "y", count: 2000)): \(String(repeating: "z", count: 2000))\r\n\r\n",
    ]
    client.send(good.joined())
    for number in 1...5 { #expect(client.receiveAnswer()?.text == "/\(number)", "\(good[number - 1])") }
    #expect(test.handler.paths == ["/1", "/2", "/3", "/4", "/5"])
    Task { await test.server.close() }
  }

  @Test("A request that comes byte by byte is read like one that comes at once", arguments: [1, 2, 3, 7, 16, 61])
  func pieces(size: Int) throws {
    let test = try TestServer(HTTPServerOptions(methods: [.get, .post], maximumBodyBytes: 1000, threads: 1))
    let client = try test.client()
    let good = Array(
      "POST /a HTTP/1.1\r\nHost: a\r\nX: b\r\nContent-Length: 10\r\n\r\n0123456789GET /b HTTP/1.1\r\nHost: a\r\n\r\n"
        .utf8)
    for start in stride(from: 0, to: good.count, by: size) {
      client.send(Array(good[start..<min(start + size, good.count)]))
    }
    #expect(client.receiveAnswer()?.text == "/a")
    #expect(client.receiveAnswer()?.text == "/b")
    Task { await test.server.close() }
  }
}
