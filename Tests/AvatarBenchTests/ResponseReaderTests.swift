import Testing

@testable import AvatarBench

/// Answers as they come: whole, in two pieces at every place, and wrong ones.
struct ResponseReaderTests {
  /// An answer with what is to be read of it.
  struct Sample: Sendable {
    var text: String
    var status: Int
    var body: Int
    var isHit = false
    var closes = false
  }

  static let samples = [
    Sample(text: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", status: 200, body: 5),
    Sample(
      text: "HTTP/1.1 200 OK\r\ncache-status: avatar-server; hit\r\nCONTENT-LENGTH:   2\r\n\r\nhi", status: 200,
      body: 2,
      isHit: true),
    Sample(
      text: "HTTP/1.1 200 OK\r\nCache-Status: avatar-server; fwd=miss\r\nContent-Length: 0\r\n\r\n", status: 200,
      body: 0),
    Sample(text: "HTTP/1.1 304 Not Modified\r\nContent-Length: 900\r\n\r\n", status: 304, body: 0),
    Sample(text: "HTTP/1.1 204 No Content\r\n\r\n", status: 204, body: 0),
    Sample(
      text: "HTTP/1.1 503 Busy\r\nConnection: close\r\nContent-Length: 1\r\n\r\n!", status: 503, body: 1, closes: true),
    Sample(text: "HTTP/1.0 404 No\r\nContent-Length: 1\r\n\r\n!", status: 404, body: 1, closes: true),
    Sample(
      text:
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nA;name=\"x\"\r\n0123456789\r\n0\r\n\r\n",
      status: 200, body: 15),
    Sample(
      text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0;last\r\nDigest: x\r\nOther: y\r\n\r\n",
      status: 200, body: 3),
  ]

  private func read(_ reader: inout ResponseReader, _ bytes: some Collection<UInt8>) -> ResponseReader.Progress {
    Array(bytes).withUnsafeBytes { reader.read($0) }
  }

  private func check(_ reader: ResponseReader, _ sample: Sample) {
    #expect(reader.status == sample.status)
    #expect(reader.bodyBytes == sample.body)
    #expect(reader.isHit == sample.isHit)
    #expect(reader.closes == sample.closes)
  }

  @Test(arguments: samples) func `an answer in one piece, with another behind it`(_ sample: Sample) {
    var reader = ResponseReader()
    let bytes = Array(sample.text.utf8)
    #expect(read(&reader, bytes + bytes) == .whole(used: bytes.count))
    check(reader, sample)
    reader.reset()
    #expect(read(&reader, bytes) == .whole(used: bytes.count))
    check(reader, sample)
  }

  @Test(arguments: samples) func `an answer in two pieces, cut anywhere`(_ sample: Sample) {
    let bytes = Array(sample.text.utf8)
    for cut in 1..<bytes.count {
      var reader = ResponseReader()
      #expect(read(&reader, bytes[..<cut]) == .more)
      #expect(read(&reader, bytes[cut...]) == .whole(used: bytes.count - cut))
      check(reader, sample)
    }
  }

  @Test(arguments: samples) func `an answer byte by byte`(_ sample: Sample) {
    var reader = ResponseReader()
    let bytes = Array(sample.text.utf8)
    for byte in bytes.dropLast() { #expect(read(&reader, [byte]) == .more) }
    #expect(read(&reader, bytes.suffix(1)) == .whole(used: 1))
    check(reader, sample)
  }

  @Test func `an answer without a length ends with its connection`() {
    var reader = ResponseReader()
    #expect(!reader.isWholeAtEnd)
    #expect(read(&reader, "HTTP/1.1 200 OK\r\n\r\nsome".utf8) == .more)
    #expect(read(&reader, "thing".utf8) == .more)
    #expect(reader.isWholeAtEnd)
    #expect(reader.bodyBytes == 9)
  }

  @Test func `a counted answer is not whole when its connection ends early`() {
    var reader = ResponseReader()
    #expect(read(&reader, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell".utf8) == .more)
    #expect(!reader.isWholeAtEnd)
  }

  @Test(arguments: [
    "SSH-2.0-OpenSSH_9\r\n\r\n", "HTTP/1.1 2x0 OK\r\n\r\n", "HTTP/1.1\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n123456789\r\n",
  ])
  func `what is no answer is malformed`(_ text: String) {
    var reader = ResponseReader()
    #expect(read(&reader, text.utf8) == .malformed)
  }

  @Test func `a head without an end is malformed before it fills the memory`() {
    var reader = ResponseReader()
    var progress = read(&reader, "HTTP/1.1 200 OK\r\n".utf8)
    var pieces = 0
    while progress == .more, pieces < 1000 {
      progress = read(&reader, "X: \(String(repeating: "x", count: 1000))\r\n".utf8)
      pieces += 1
    }
    #expect(progress == .malformed)
    #expect(pieces <= 2 * ResponseReader.headLimit / 1000)
  }
}
