internal import BenchPictures

/// An answer as it goes out.
struct OriginReply {
  private(set) var head: [UInt8]
  /// What follows the head, of which only the first `length` bytes are sent.
  private(set) var body: [UInt8] = []
  private(set) var length = 0
  /// Bytes of the body a second.
  private(set) var rate: Int?
  /// The connection ends behind it.
  let isLast: Bool
  /// Whether its bytes are counted: not those of the control side.
  var isCounted = true

  /// Begins with the status line and the date.
  init(status: Int, date: [UInt8], isLast: Bool) {
    self.isLast = isLast
    head = []
    head.reserveCapacity(400)
    head += "HTTP/1.1 ".utf8
    head.append(number: status)
    head += " \(Self.reason(status))\r\nDate: ".utf8
    head += date
    head += "\r\n".utf8
    if isLast { head += "Connection: close\r\n".utf8 }
  }

  mutating func add(_ name: StaticString, _ value: some Sequence<UInt8>) {
    head += UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    head += ": ".utf8
    head += value
    head += "\r\n".utf8
  }

  /// Ends the head of an answer without a body; those of 204 and 304 have no length either.
  mutating func end(hasLength: Bool = true) { head += hasLength ? "Content-Length: 0\r\n\r\n".utf8 : "\r\n".utf8 }

  /// Ends the head and adds the body, which is only announced to a HEAD request.
  mutating func end(body: [UInt8], options: RequestOptions = RequestOptions(), isAnnounced: Bool = false) {
    if options.isChunked {
      head += "Transfer-Encoding: chunked\r\n\r\n".utf8
    } else {
      head += "Content-Length: ".utf8
      head.append(number: body.count)
      head += "\r\n\r\n".utf8
    }
    guard !isAnnounced else { return }
    self.body = options.isChunked ? Self.chunked(body) : body
    length = options.closesEarly ? self.body.count / 2 : self.body.count
    rate = options.rate
  }

  private static func chunked(_ body: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    for start in stride(from: 0, to: body.count, by: 16384) {
      let chunk = body[start..<min(body.count, start + 16384)]
      result += "\(String(chunk.count, radix: 16))\r\n".utf8
      result += chunk
      result += "\r\n".utf8
    }
    return result + "0\r\n\r\n".utf8
  }

  private static func reason(_ status: Int) -> StaticString {
    switch status {
    case 200: "OK"
    case 302: "Found"
    case 304: "Not Modified"
    case 400: "Bad Request"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 431: "Request Header Fields Too Large"
    case 503: "Service Unavailable"
    default: "As Asked"
    }
  }
}

extension [UInt8] {
  mutating func append(number: Int) {
    var divisor = 1
    while number / divisor >= 10 { divisor *= 10 }
    while divisor > 0 {
      append(UInt8(48 + number / divisor % 10))
      divisor /= 10
    }
  }

  mutating func append(hexadecimal number: UInt64) {
    for shift in stride(from: 60, through: 0, by: -4) {
      let digit = UInt8(number >> UInt64(shift) & 15)
      append(digit < 10 ? 48 + digit : 87 + digit)
    }
  }
}
