import CLinux
import Glibc

/// Reads HTTP/1.1 answers as they come: how long each is and what it said in brief. Bodies are counted, never kept.
///
/// An answer mostly comes in one piece and is read where it lies; only a head that comes in parts is put together.
struct ResponseReader {
  /// What a piece of input led to.
  enum Progress: Equatable {
    /// The answer goes on.
    case more
    /// The answer is whole, and `used` bytes of the piece belong to it.
    case whole(used: Int)
    /// This is no HTTP/1.1 answer.
    case malformed
  }

  /// Most bytes of a head.
  static let headLimit = 64 << 10

  /// The status of the answer that is coming or has come; 0 before its head is whole.
  private(set) var status = 0
  /// Whether `Cache-Status` said that the nearest cache had it.
  private(set) var isHit = false
  /// Whether the server will close the connection after it.
  private(set) var closes = false
  /// Bytes of the body so far.
  private(set) var bodyBytes = 0
  private var head: [UInt8] = []
  private var body = Body.none

  private enum Body {
    case none
    case counted(left: Int)
    case untilEnd
    case chunked(ChunkedBody)
  }

  /// Takes the next bytes of the connection.
  mutating func read(_ piece: UnsafeRawBufferPointer) -> Progress {
    guard status == 0 else { return readBody(piece, from: 0) }
    if head.isEmpty {
      guard let end = Self.headEnd(piece) else { return keep(piece) }
      guard readHead(UnsafeRawBufferPointer(rebasing: piece[..<end])) else { return .malformed }
      return readBody(piece, from: end)
    }
    let before = head.count
    guard before + piece.count <= Self.headLimit + 65_536 else { return .malformed }
    head += piece
    let whole = head
    return whole.withUnsafeBytes { bytes in
      guard let end = Self.headEnd(bytes) else { return bytes.count > Self.headLimit ? .malformed : .more }
      guard readHead(UnsafeRawBufferPointer(rebasing: bytes[..<end])) else { return .malformed }
      head = []
      switch readBody(bytes, from: end) {
      case .whole(let used): return .whole(used: used - before)
      case let other: return other
      }
    }
  }

  /// Whether the answer is whole now that the server has closed the connection.
  var isWholeAtEnd: Bool {
    if status != 0, case .untilEnd = body { return true }
    return false
  }

  /// Gets ready for the next answer.
  mutating func reset() {
    (status, isHit, closes, bodyBytes) = (0, false, false, 0)
    head = []
    body = .none
  }

  private mutating func keep(_ piece: UnsafeRawBufferPointer) -> Progress {
    head += piece
    return head.count > Self.headLimit ? .malformed : .more
  }

  private static func headEnd(_ bytes: UnsafeRawBufferPointer) -> Int? {
    guard let base = bytes.baseAddress, let found = linux_find(base, bytes.count, "\r\n\r\n", 4) else { return nil }
    return UnsafeRawPointer(found) - base + 4
  }

  private mutating func readBody(_ piece: UnsafeRawBufferPointer, from start: Int) -> Progress {
    let available = piece.count - start
    switch body {
    case .none: return .whole(used: start)
    case .untilEnd:
      bodyBytes += available
      return .more
    case .counted(let left):
      let taken = min(left, available)
      bodyBytes += taken
      body = .counted(left: left - taken)
      return taken == left ? .whole(used: start + taken) : .more
    case .chunked(var chunks):
      let progress = chunks.read(piece, from: start)
      bodyBytes = chunks.bytes
      body = .chunked(chunks)
      return progress
    }
  }

  private mutating func readHead(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count >= 13, let start = bytes.baseAddress, memcmp(start, "HTTP/1.", 7) == 0 else { return false }
    var number = 0
    for place in 9..<12 {
      guard 48...57 ~= bytes[place] else { return false }
      number = number * 10 + Int(bytes[place]) - 48
    }
    status = number
    closes = bytes[7] == UInt8(ascii: "0")
    var length: Int?
    var isChunked = false
    HeadLines.each(bytes) { name, value in
      switch name.count {
      case 14 where HeadLines.matches(name, "content-length"): length = HeadLines.number(value)
      case 17 where HeadLines.matches(name, "transfer-encoding"): isChunked = HeadLines.ends(value, "chunked")
      case 10 where HeadLines.matches(name, "connection"): closes = HeadLines.ends(value, "close") || closes
      case 12 where HeadLines.matches(name, "cache-status"):
        isHit = isHit || HeadLines.contains(value, "; hit")
      default: break
      }
    }
    if status == 304 || status == 204 || 100...199 ~= status {
      body = .none
    } else if isChunked {
      body = .chunked(ChunkedBody())
    } else if let length {
      body = length == 0 ? .none : .counted(left: length)
    } else {
      body = .untilEnd
    }
    return true
  }
}
