import BenchOrigin
import BenchPictures
import Testing

/// Counting, and changing an origin while it is in use.
struct ControlTests {
  @Test func `requests, connections, bodies and groups are counted, control is not`() throws {
    let origin = try TestOrigin()
    let (first, second) = (try origin.client(), try origin.client())
    let tag = try #require(try first.ask("/jpeg-400/a/x").fields["etag"])
    _ = try first.ask("/jpeg-400/a/x", "If-None-Match: \(tag)")
    _ = try first.ask("/jpeg-400/a/y?status=503")
    _ = try first.ask("/svg/a/x?redirect=1")
    _ = try second.ask("/nothing/a/x")
    #expect(try second.ask("/svg/a\"b/x").status == 200)
    for _ in 0..<2 {
      #expect(
        try origin.control("counts").text == """
          {"requests":6,"connections":2,"notModified":1,"bytes":50006,\
          "groups":{"jpeg-400/a":3,"svg/a":1,"svg/a\\"b":1}}

          """)
    }
    #expect(try origin.control("counts?group=jpeg-400/a").text == "{\"requests\":3}\n")
    #expect(try origin.control("counts?group=jpeg-400/b").text == "{\"requests\":0}\n")
  }

  @Test func `groups beyond ten thousand are served and not counted`() throws {
    let origin = try TestOrigin()
    let client = try origin.client()
    for number in 0..<10_000 { _ = try client.ask("/svg/\(number)/x?status=204") }
    #expect(try client.ask("/svg/more/x").status == 200)
    #expect(try client.ask("/svg/9999/x").status == 200)
    #expect(try origin.control("counts?group=svg/more").text == "{\"requests\":0}\n")
    #expect(try origin.control("counts?group=svg/9999").text == "{\"requests\":2}\n")
    #expect(try origin.control("change?group=svg/more").status == 503)
    #expect(try origin.control("counts").text.hasPrefix("{\"requests\":10002,"))
  }

  @Test func `a changed group has other pictures, other tags and a later date; others keep theirs`() throws {
    let origin = try TestOrigin()
    let client = try origin.client()
    let (before, other) = (try client.ask("/jpeg-400/a/x"), try client.ask("/jpeg-400/b/x"))
    #expect(try origin.control("change?group=jpeg-400/a").status == 200)
    let fields = ["If-None-Match: \(before.fields["etag"] ?? "")", "If-Modified-Since: \(before.fields["date"] ?? "")"]
    client.request("GET", "/jpeg-400/a/x", fields)
    let after = try client.answer()
    #expect(after.status == 200)
    #expect(after.body != before.body)
    #expect(after.fields["etag"] != before.fields["etag"])
    #expect(after.fields["last-modified"] == "Tue, 14 Nov 2023 23:13:20 GMT")
    #expect(
      try client.ask("/jpeg-400/a/x", "If-Modified-Since: \(before.fields["last-modified"] ?? "")").status == 200)
    let same = try client.ask("/jpeg-400/b/x")
    #expect(same.body == other.body && same.fields["etag"] == other.fields["etag"])
  }

  @Test func `even the only picture of a kind has another tag after a change`() throws {
    let origin = try TestOrigin()
    let before = try origin.client().ask("/svg/a/x")
    _ = try origin.control("change?group=svg/a")
    let after = try origin.client().ask("/svg/a/x")
    #expect(after.body == before.body && after.fields["etag"] != before.fields["etag"])
  }

  @Test func `a group turns bad and well again in the middle of a connection`() throws {
    let origin = try TestOrigin()
    let client = try origin.client()
    #expect(try client.ask("/svg/a/x").status == 200)
    #expect(try origin.control("behave?group=svg/a&status=503&max-age=1").status == 200)
    let bad = try client.ask("/svg/a/x?max-age=9")
    #expect(bad.status == 503)
    #expect(bad.fields["cache-control"] == "max-age=1", "the group's word is the last one")
    #expect(try client.ask("/svg/b/x").status == 200)
    #expect(try origin.control("behave?group=svg/a").status == 200)
    #expect(try client.ask("/svg/a/x").text == "<svg/>")
    _ = try origin.control("behave?group=svg/a&reset")
    client.get("/svg/a/x")
    #expect(client.receiveToEnd() == nil)
  }

  @Test func `a group that redirects lets each request arrive`() throws {
    let origin = try TestOrigin()
    let client = try origin.client()
    _ = try origin.control("behave?group=svg/a&redirect=1")
    let hop = try client.ask("/svg/a/x")
    #expect(hop.status == 302)
    #expect(try client.ask(try #require(hop.fields["location"])).text == "<svg/>")
  }

  @Test func `a port that is taken is a fault that says so`() throws {
    let origin = try TestOrigin()
    let fault = #expect(throws: OriginFault.self) {
      _ = try BenchOrigin(port: origin.origin.boundPort, pictures: TestOrigin.book)
    }
    #expect(fault?.description.contains("\(origin.origin.boundPort)") == true)
  }

  @Test func `an origin that was stopped before it ran returns at once`() throws {
    let origin = try BenchOrigin(port: 0, pictures: TestOrigin.book)
    origin.stop()
    origin.run()
  }
}
