import AvatarCore
import Glibc

/// A whole GET or HEAD as nearly every client sends it, read straight from the bytes that came in. It lends them.
///
/// Stricter than `RequestFraming.init(reading:targetBytes:)`, which judges everything else: the origin form, HTTP/1.1, CRLF after every
/// line, fields that are a token, a colon and a value, and nothing behind the empty line. (RFC 9112)
struct PlainRequest {
  /// As it came.
  let target: UnsafeRawBufferPointer
  /// What the rules go by.
  private(set) var framing = RequestFraming()
  private(set) var ifNoneMatch: UnsafeRawBufferPointer?
  private(set) var ifModifiedSince: UnsafeRawBufferPointer?

  /// Nil where another has to look: for all that is rare, and all that is wrong.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress, bytes.count >= Self.shortest, memchr(start, 0, bytes.count) == nil else {
      return nil
    }
    let end = start + bytes.count
    guard memcmp(end - 4, "\r\n\r\n", 4) == 0 else { return nil }
    var cursor = start
    if memcmp(start, "GET ", 4) == 0 {
      framing.method = .get
      cursor += 4
    } else if memcmp(start, "HEAD ", 5) == 0 {
      framing.method = .head
      cursor += 5
    } else {
      return nil
    }
    guard cursor.load(as: UInt8.self) == UInt8(ascii: "/"), let blank = Self.first(0x20, cursor, end),
      end - blank >= 13, memcmp(blank, " HTTP/1.1\r\n", 11) == 0
    else { return nil }
    target = UnsafeRawBufferPointer(start: cursor, count: blank - cursor)
    cursor = blank + 11
    while cursor != end - 2 {
      guard let next = takeField(cursor, end) else { return nil }
      cursor = next
    }
  }

  /// Its conditional fields; nil where it has none.
  var condition: ConditionalRequest? {
    guard framing.isConditional else { return nil }
    // Where there are tags, the date says nothing (RFC 9110 section 13.1.3).
    return ConditionalRequest(
      ifNoneMatch: ifNoneMatch.map { String(decoding: $0, as: UTF8.self) },
      ifModifiedSince: ifNoneMatch == nil ? ifModifiedSince.map { String(decoding: $0, as: UTF8.self) } : nil)
  }

  private static let shortest = "GET / HTTP/1.1\r\n\r\n".utf8.count

  /// Reads one line of the head; gives where the next begins, nil if it is none.
  @inline(__always)
  private mutating func takeField(_ start: UnsafeRawPointer, _ end: UnsafeRawPointer) -> UnsafeRawPointer? {
    var colon = start
    while colon != end, fieldNameBytes.contains(colon.load(as: UInt8.self)) { colon += 1 }
    guard colon != start, colon != end, colon.load(as: UInt8.self) == UInt8(ascii: ":"),
      let lineFeed = Self.first(0x0A, colon, end), Self.first(0x0D, colon, lineFeed) == lineFeed - 1
    else { return nil }
    var (first, last) = (colon + 1, lineFeed - 1)
    while first != last, Self.isBlank(first.load(as: UInt8.self)) { first += 1 }
    while first != last, Self.isBlank((last - 1).load(as: UInt8.self)) { last -= 1 }
    let name = UnsafeRawBufferPointer(start: start, count: colon - start)
    let value = UnsafeRawBufferPointer(start: first, count: last - first)
    switch framing.note(name: name, value: value) {
    case .ifNoneMatch:
      guard ifNoneMatch == nil else { return nil }
      ifNoneMatch = value
    case .ifModifiedSince:
      guard ifModifiedSince == nil else { return nil }
      ifModifiedSince = value
    case .connection:
      guard value.count == 10, value.elementsEqual("keep-alive".utf8, by: { asciiLowercased($0) == $1 }) else {
        return nil
      }
    case .expect: return nil
    case nil: break
    }
    return lineFeed + 1
  }

  @inline(__always)
  private static func first(_ byte: UInt8, _ start: UnsafeRawPointer, _ end: UnsafeRawPointer) -> UnsafeRawPointer? {
    memchr(start, Int32(byte), end - start).map { UnsafeRawPointer($0) }
  }

  @inline(__always)
  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  private let fieldNameBytes = RequestFraming.nameBytes
}
