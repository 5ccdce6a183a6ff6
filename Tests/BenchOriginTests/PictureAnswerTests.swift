import BenchPictures
import Testing

/// What the origin says of its pictures, and to whom.
struct PictureAnswerTests {
  @Test func `a picture comes with its kind, a strong tag, dates and an hour of freshness`() throws {
    let origin = try TestOrigin()
    let answer = try origin.client().ask("/jpeg-400/a/somebody")
    #expect(answer.status == 200)
    #expect(answer.body == TestOrigin.book.picture(.jpeg400, name: "somebody".utf8)?.bytes)
    #expect(answer.fields["content-type"] == "image/jpeg")
    #expect(answer.fields["etag"]?.hasPrefix("\"") == true)
    #expect(answer.fields["last-modified"] == "Tue, 14 Nov 2023 22:13:20 GMT")
    #expect(answer.fields["cache-control"] == "max-age=3600")
    #expect(answer.fields["date"]?.hasSuffix(" GMT") == true)
  }

  @Test func `the name chooses the picture, the same one in every group`() throws {
    let client = try TestOrigin().client
    let names = (0..<40).map { "name\($0)" }
    let first = try names.map { try client().ask("/jpeg-400/a/\($0)").body[0] }
    #expect(Set(first).count > 4)
    #expect(try names.map { try client().ask("/jpeg-400/b/\($0)").body[0] } == first)
  }

  @Test func `HEAD announces what GET would give`() throws {
    let client = try TestOrigin().client()
    let whole = try client.ask("/jpeg-400/a/x")
    client.request("HEAD", "/jpeg-400/a/x")
    let head = try client.answer(toHead: true)
    #expect(head.fields["content-length"] == "\(TestOrigin.small)")
    #expect(head.fields["etag"] == whole.fields["etag"])
    #expect(try client.ask("/svg/a/x").text == "<svg/>", "no body came after the head")
  }

  @Test func `who has the present picture gets 304 by tag or date, the tag first`() throws {
    let client = try TestOrigin().client()
    let whole = try client.ask("/jpeg-400/a/x")
    let tag = try #require(whole.fields["etag"])
    let date = "If-Modified-Since: Tue, 14 Nov 2023 22:13:20 GMT"
    for fields in [
      ["If-None-Match: \(tag)"], ["if-none-match: \"other\", W/\(tag)"], ["If-None-Match: *"], [date],
      ["If-Modified-Since: Wed, 15 Nov 2023 00:00:00 GMT"], ["If-None-Match: \(tag)", "If-Modified-Since: never"],
    ] {
      client.request("GET", "/jpeg-400/a/x", fields)
      let answer = try client.answer()
      #expect(answer.status == 304, "\(fields)")
      #expect(answer.fields["etag"] == tag)
      #expect(answer.fields["content-length"] == nil)
    }
    for fields in [
      ["If-None-Match: \"other\""], ["If-None-Match: \"other\"", date], ["If-Modified-Since: never"],
      ["If-Modified-Since: Tue, 14 Nov 2023 22:13:19 GMT"],
    ] {
      client.request("GET", "/jpeg-400/a/x", fields)
      #expect(try client.answer().status == 200, "\(fields)")
    }
  }

  @Test(arguments: [
    "/", "/jpeg-400", "/jpeg-400/a", "/jpeg-400/a/", "/jpeg-400//x", "/tiff/a/x", "/png-512/a/x", "/-/", "/-/nothing",
    "/-/counts?group=tiff/a", "/-/counts?group=jpeg-400", "/-/change", "/-/behave?delay=1s",
  ])
  func `what is not there is 404 and the connection goes on`(target: String) throws {
    let client = try TestOrigin().client()
    #expect(try client.ask(target).status == 404)
    #expect(try client.ask("/svg/a/x").status == 200)
  }

  @Test(arguments: [
    "GET /svg/a/x\r\n\r\n", "GET /svg/a/x HTTP/2.0\r\n\r\n", "GET  HTTP/1.1\r\n\r\n", "GET svg HTTP/1.1\r\n\r\n",
    "get /svg/a/x HTTP/1.1\r\n\r\n", "GET /svg/a/x HTTP/1.1\n\n", "GET /svg/a/x HTTP/1.1\r\nno colon\r\n\r\n",
    "GET /svg/a/x HTTP/1.1\r\n folded: x\r\n\r\n", "GET /svg/\u{7}/x HTTP/1.1\r\n\r\n",
    "GET /svg/a/x HTTP/1.1\r\nContent-Length: 5\r\n\r\n", "GET /svg/a/x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
    "GET /svg/a/x?delay=soon HTTP/1.1\r\n\r\n", "GET /svg/a/x?sleep=1s HTTP/1.1\r\n\r\n",
    "GET /svg/a/x?status=100 HTTP/1.1\r\n\r\n", "GET /svg/a/x?hang=1 HTTP/1.1\r\n\r\n",
    "GET /svg/a/x?rate=0B HTTP/1.1\r\n\r\n", "GET /-/behave?group=svg/a&x HTTP/1.1\r\n\r\n",
  ])
  func `what is malformed gets 400 and the end`(request: String) throws {
    let client = try TestOrigin().client()
    client.send(request)
    #expect(try client.answer().status == 400)
    #expect(client.receiveToEnd() == [])
  }

  @Test func `a head may have 16 KiB and no more`() throws {
    let origin = try TestOrigin()
    let client = try origin.client()
    #expect(try client.ask("/svg/a/x", "Padding: \(String(repeating: "x", count: 16_000))").status == 200)
    client.send("GET /svg/a/x HTTP/1.1\r\nPadding: \(String(repeating: "x", count: 16_384))")
    #expect(try client.answer().status == 431)
  }

  @Test func `requests may come in pieces and several at once`() throws {
    let client = try TestOrigin().client()
    for character in "GET /svg/a/x HTTP/1.1\r\nHost: h\r\n\r\n".unicodeScalars {
      client.send(String(character))
    }
    #expect(try client.answer().text == "<svg/>")
    let request = "GET /svg/a/x HTTP/1.1\r\n\r\n"
    client.send(request + "GET /jpeg-400/a/x?delay=20ms HTTP/1.1\r\n\r\n" + request + request.dropLast())
    #expect(try (0..<3).map { _ in try client.answer().body.count } == [6, TestOrigin.small, 6])
    client.send("\r\n")
    #expect(try client.answer().status == 200)
  }

  @Test func `the connection ends where the client wants it to, and other methods are refused`() throws {
    let origin = try TestOrigin()
    for request in ["GET /svg/a/x HTTP/1.0\r\n\r\n", "GET /svg/a/x HTTP/1.1\r\nConnection: Close\r\n\r\n"] {
      let client = try origin.client()
      client.send(request)
      #expect(try client.answer().fields["connection"] == "close")
      #expect(client.receiveToEnd() == [])
    }
    let client = try origin.client()
    client.request("DELETE", "/svg/a/x")
    let answer = try client.answer()
    #expect(answer.status == 405)
    #expect(answer.fields["allow"] == "GET, HEAD")
  }
}
