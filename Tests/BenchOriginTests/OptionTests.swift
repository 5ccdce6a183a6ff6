import Glibc
import Testing

/// What the options in a query, or a group's behaviour, make of an answer.
struct OptionTests {
  @Test func `a delay passes before the head`() throws {
    let client = try TestOrigin().client()
    let began = ContinuousClock.now
    #expect(try client.ask("/svg/a/x?delay=30ms").text == "<svg/>")
    #expect(ContinuousClock.now - began >= .milliseconds(30))
  }

  @Test func `a slow answer holds up no other client`() throws {
    let origin = try TestOrigin()
    let (patient, quick) = (try origin.client(), try origin.client())
    patient.get("/svg/a/x?delay=1h")
    #expect(try quick.ask("/svg/a/x").status == 200)
    #expect(!patient.hasNews)
  }

  @Test(arguments: [204, 301, 404, 429, 500, 503, 599])
  func `a status comes without a body`(status: Int) throws {
    let client = try TestOrigin().client()
    let answer = try client.ask("/jpeg-400/a/x?status=\(status)&max-age=7")
    #expect(answer.status == status)
    #expect(answer.body.isEmpty)
    #expect(answer.fields["cache-control"] == "max-age=7")
    #expect(try client.ask("/svg/a/x?status=200").text == "<svg/>")
  }

  @Test func `the body comes no faster than its rate`() throws {
    let client = try TestOrigin().client()
    let began = ContinuousClock.now
    let answer = try client.ask("/jpeg-400/a/x?rate=1MiB")
    // The last byte may go when all of them may.
    #expect(ContinuousClock.now - began >= .seconds(Double(TestOrigin.small) / 1_048_576))
    #expect(answer.body.count == TestOrigin.small)
    #expect(try client.ask("/svg/a/x").status == 200)
  }

  @Test func `a redirect leads to itself, with one hop less and the other options kept`() throws {
    let origin = try TestOrigin()
    let client = try origin.client()
    var target = "/svg/a/x?chunked&redirect=2&max-age=5"
    for left in [1, 0] {
      let answer = try client.ask(target)
      #expect(answer.status == 302)
      target = try #require(answer.fields["location"])
      #expect(target == "/svg/a/x?redirect=\(left)&chunked&max-age=5")
    }
    #expect(try client.ask(target).text == "<svg/>")
    #expect(try origin.control("counts?group=svg/a").text == "{\"requests\":3}\n")
  }

  @Test func `freshness is as asked`() throws {
    let client = try TestOrigin().client()
    #expect(try client.ask("/svg/a/x?max-age=0").fields["cache-control"] == "max-age=0")
    #expect(try client.ask("/svg/a/x?no-store").fields["cache-control"] == "no-store")
  }

  @Test func `who hangs is never answered, and its place is free once the client has left`() throws {
    let origin = try TestOrigin(connectionLimit: 2)
    let (hanging, other) = (try origin.client(), try origin.client())
    hanging.get("/svg/a/x?hang")
    while try other.ask("/-/counts?group=svg/a").text != "{\"requests\":1}\n" {}
    #expect(!hanging.hasNews)
    hanging.leave()
    #expect(try origin.client().ask("/svg/a/x").status == 200)
  }

  @Test func `a reset is a reset, not an end`() throws {
    let client = try TestOrigin().client()
    client.get("/svg/a/x?reset")
    #expect(client.receiveToEnd() == nil)
    #expect(errno == ECONNRESET)
  }

  @Test func `an early end comes after half of what was announced`() throws {
    let client = try TestOrigin().client()
    client.get("/jpeg-400/a/x?close-early")
    let all = try #require(client.receiveToEnd())
    #expect(String(decoding: all.prefix(500), as: UTF8.self).contains("Content-Length: \(TestOrigin.small)\r\n"))
    let body = try #require(all.firstRange(of: Array("\r\n\r\n".utf8))).upperBound
    #expect(all.count - body == TestOrigin.small / 2)
  }

  @Test(arguments: ["svg", "jpeg-400"])
  func `a chunked body has no length before it and is whole`(kind: String) throws {
    let client = try TestOrigin().client()
    let answer = try client.ask("/\(kind)/a/x?chunked")
    #expect(answer.fields["content-length"] == nil)
    #expect(try client.ask("/\(kind)/a/x").body == answer.body)
    client.get("/\(kind)/a/x?chunked&close-early")
    let ended = try #require(client.receiveToEnd())
    #expect(!ended.suffix(5).elementsEqual("0\r\n\r\n".utf8))
  }

  @Test func `a large picture goes out piece by piece, and others are served between`() throws {
    let origin = try TestOrigin()
    let (slow, quick) = (try origin.client(), try origin.client())
    slow.get("/jpeg-12mp/a/x")
    #expect(try quick.ask("/svg/a/x").status == 200)
    #expect(try slow.answer().body.count == TestOrigin.large)
    #expect(try slow.ask("/svg/a/x").status == 200)
  }

  @Test func `clients over the limit wait until one leaves`() throws {
    let origin = try TestOrigin(connectionLimit: 2)
    let (first, second, third) = (try origin.client(), try origin.client(), try origin.client())
    #expect(try first.ask("/svg/a/x").status == 200)
    third.get("/svg/a/x")
    for _ in 0..<5 { #expect(try second.ask("/svg/a/x").status == 200) }
    #expect(!third.hasNews)
    first.leave()
    #expect(try third.answer().status == 200)
  }
}
