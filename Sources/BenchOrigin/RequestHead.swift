/// The head of one request, read where it arrived: valid as long as the bytes are.
struct RequestHead {
  enum Method {
    case get
    case head
    case other
  }

  enum Reading {
    /// More must come.
    case incomplete
    /// Not HTTP as this origin speaks it; nothing that follows can be trusted.
    case malformed
    case whole(RequestHead, length: Int)
  }

  let method: Method
  /// From the first slash to the question mark.
  let path: Slice<UnsafeBufferPointer<UInt8>>
  /// Behind the question mark; empty where there is none.
  let query: Slice<UnsafeBufferPointer<UInt8>>
  /// The connection ends after the answer.
  private(set) var isLast: Bool
  private(set) var ifNoneMatch: Slice<UnsafeBufferPointer<UInt8>>?
  private(set) var ifModifiedSince: Slice<UnsafeBufferPointer<UInt8>>?

  /// Reads the first head in `bytes`.
  static func read(_ bytes: UnsafeBufferPointer<UInt8>) -> Reading {
    guard let lineEnd = bytes.firstIndex(of: 10) else { return .incomplete }
    guard var head = RequestHead(line: bytes[..<lineEnd]) else { return .malformed }
    var start = lineEnd + 1
    while let end = bytes[start...].firstIndex(of: 10) {
      guard end > start, bytes[end - 1] == 13 else { return .malformed }
      if end == start + 1 { return .whole(head, length: end + 1) }
      guard head.take(bytes[start..<(end - 1)]) else { return .malformed }
      start = end + 1
    }
    return .incomplete
  }

  private init?(line: Slice<UnsafeBufferPointer<UInt8>>) {
    guard let first = line.firstIndex(of: 32), line.last == 13 else { return nil }
    let name = line[..<first]
    guard !name.isEmpty, name.allSatisfy({ (0x41...0x5A).contains($0) }) else { return nil }
    method = name.elementsEqual("GET".utf8) ? .get : name.elementsEqual("HEAD".utf8) ? .head : .other
    let rest = line[(first + 1)..<(line.endIndex - 1)]
    guard let last = rest.firstIndex(of: 32) else { return nil }
    switch rest[(last + 1)...] {
    case let version where version.elementsEqual("HTTP/1.1".utf8): isLast = false
    case let version where version.elementsEqual("HTTP/1.0".utf8): isLast = true
    default: return nil
    }
    let target = rest[..<last]
    guard target.first == 0x2F, target.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
    let mark = target.firstIndex(of: 0x3F) ?? target.endIndex
    path = target[..<mark]
    query = target[mark...].dropFirst()
  }

  /// False for a field that makes the request malformed; a body is none of this origin's.
  private mutating func take(_ field: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    guard let colon = field.firstIndex(of: 0x3A), colon > field.startIndex else { return false }
    let name = field[..<colon]
    guard name.allSatisfy({ $0 > 32 && $0 < 127 }) else { return false }
    var value = field[(colon + 1)...]
    while let first = value.first, first == 32 || first == 9 { value = value.dropFirst() }
    while let last = value.last, last == 32 || last == 9 { value = value.dropLast() }
    switch name.count {
    case 10 where Self.equal(name, "connection"):
      if Self.equal(value, "close") { isLast = true }
    case 13 where Self.equal(name, "if-none-match"): ifNoneMatch = value
    case 17 where Self.equal(name, "if-modified-since"): ifModifiedSince = value
    case 14 where Self.equal(name, "content-length"): return value.elementsEqual("0".utf8)
    case 17 where Self.equal(name, "transfer-encoding"): return false
    default: break
    }
    return true
  }

  /// Whether they differ in the case of letters at most; `text` is in lower case.
  private static func equal(_ bytes: Slice<UnsafeBufferPointer<UInt8>>, _ text: StaticString) -> Bool {
    guard bytes.count == text.utf8CodeUnitCount else { return false }
    return zip(bytes, UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)).allSatisfy {
      $0 == $1 || ((0x41...0x5A).contains($0) && $0 | 0x20 == $1)
    }
  }
}
