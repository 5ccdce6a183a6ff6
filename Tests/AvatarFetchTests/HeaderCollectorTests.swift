import AvatarCore
import Testing

@testable import AvatarFetch

@Suite("Header lines") struct HeaderCollectorTests {
  private func read(_ lines: [String], maxBytes: Int = 4096, maxFields: Int = 8) throws -> HeaderCollector {
    var collector = HeaderCollector(maxBytes: maxBytes, maxFields: maxFields)
    for line in lines { _ = try collector.take(text(line)) }
    return collector
  }

  @Test func `names become lower case and values lose their blanks`() throws {
    let head = try read(["HTTP/1.1 200 OK\r\n", "Content-TYPE: \t image/png \r\n", "X:\r\n", "\r\n"]).head
    #expect(head.status == 200)
    #expect(head.fields == [HeaderField("content-type", "image/png"), HeaderField("x", "")])
  }

  @Test func `interim answers are passed over and trailers ignored`() throws {
    let collector = try read([
      "HTTP/1.1 103 Early Hints\r\n", "Link: x\r\n", "\r\n", "HTTP/2 404 \r\n", "A: 1\r\n", "\r\n", "T: trailer\r\n",
    ])
    #expect(collector.isComplete)
    #expect(collector.head == AnswerHead(status: 404, isHTTP1: false, fields: [HeaderField("a", "1")]))
  }

  @Test func `folded lines are joined, in Location too`() throws {
    let head = try read(["HTTP/1.1 302 x\n", " ignored\n", "Location: /a\n", "\t /b\n", "\n"]).head
    #expect(head.fields == [HeaderField("location", "/a /b")])
    #expect(head.locations == [text("/a /b")])
  }

  @Test func `fields with a blank in their name are dropped with what is folded to them`() throws {
    let head = try read(["HTTP/1.1 200\r\n", "Content-Length : 5\r\n", " 6\r\n", ": x\r\n", "\r\n"]).head
    #expect(head.fields.isEmpty)
  }

  @Test func `bytes that are not UTF-8 are read one by one, control characters become blanks`() throws {
    var collector = HeaderCollector(maxBytes: 4096, maxFields: 8)
    for line in [text("HTTP/1.1 302 x\r\n"), text("Location: /bl") + [0xE5, 0x01] + text("x\r\n"), text("\r\n")] {
      _ = try collector.take(line)
    }
    #expect(collector.head.fields == [HeaderField("location", "/bl\u{E5} x")])
    #expect(collector.head.locations == [text("/bl") + [0xE5, 0x01] + text("x")])
  }

  @Test(arguments: [
    ["HTTP/1.1 99 x\r\n"], ["HTTP/1.1 600 x\r\n"], ["HTTP/1.1 20 x\r\n"], ["HTTP/1.1 +20 x\r\n"], ["HTTP/1.1 2000\r\n"],
    ["ICY 200 OK\r\n"], ["\r\n"], ["HTTP/1.1\r\n"], ["HTTP/1.1 200\r\n", "no colon\r\n"],
    ["HTTP/1.1 200\r\n", "a: \u{0}\r\n"], ["HTTP/1.1 101 x\r\n", "\r\n"],
    Array(repeating: ["HTTP/1.1 100 x\r\n", "\r\n"], count: 33).flatMap { $0 },
  ]) func `what cannot be read ends the exchange`(lines: [String]) {
    #expect("\(lines)") { try read(lines) } throws: { ($0 as? AvatarError)?.code == .originProtocol }
  }

  @Test func `both bounds hold exactly`() throws {
    let lines = ["HTTP/1.1 200\r\n", "a: 1\r\n", "b: 2\r\n", "\r\n"]
    let size = lines.map(\.utf8.count).reduce(0, +)
    #expect(try read(lines, maxBytes: size, maxFields: 2).isComplete)
    #expect(throws: AvatarError.self) { try read(lines, maxBytes: size - 1) }
    #expect(throws: AvatarError.self) { try read(lines, maxFields: 1) }
  }
}
