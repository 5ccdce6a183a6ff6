import CMicroHTTPD
import Glibc

/// A request's head where the library keeps it; good during the request's first callback only.
struct LentHead {
  let connection: OpaquePointer
  let method: UnsafePointer<CChar>
  let url: UnsafePointer<CChar>
  let version: UnsafePointer<CChar>
}

extension RequestFraming {
  /// Reads a request's head byte for byte beside what the library made of it.
  ///
  /// The library's parser is lax: it takes folded lines (and glues them to the *name*), bare LF, NUL and blanks before a
  /// colon, each of which can hide a `Content-Length` or `Transfer-Encoding` from it that another server sees. What it
  /// shows are pointers into its read buffer, where it only replaced blanks, colons and line ends with NULs. So the head
  /// is proven: the target begins one byte after the method, the version one byte after the target, each name exactly
  /// where the line before it ended with two bytes, and the last line ends where the head does. No byte is left over
  /// in which something could hide.
  ///
  /// What cannot be told, as the library leaves a NUL for each CR, LF and colon: NUL LF at the end of a field, and an end of
  /// the head that has the right number of bytes but some of them NUL, bare LF or a lone colon (`:` LF for CRLF). A server
  /// in front that takes such a line for anything but an end would have to forward NUL or a field without a name.
  init(reading head: LentHead, targetBytes: Int) {
    let (method, url, version) = (head.method, head.url, head.version)
    readMethod(method)
    isOldVersion = strcmp(version, "HTTP/1.0") == 0
    headBytes = CMicroHTTPD_headBytes(head.connection)
    let versionBytes = 8
    guard url == method + strlen(method) + 1, version == url + targetBytes + 1, strlen(version) == versionBytes,
      headBytes >= version - method + versionBytes + 4, version[versionBytes + 1] == 0
    else {
      isExact = false
      return
    }
    var walk = HeadWalk(cursor: version + versionBytes + 2, end: method + headBytes, framing: self)
    MHD_get_connection_values_n(head.connection, .HEADER_KIND, walkField, &walk)
    self = walk.framing
    if walk.cursor + 2 != walk.end || walk.cursor[0] != 0 || walk.cursor[1] != 0 { isExact = false }
  }

  private mutating func readMethod(_ text: UnsafePointer<CChar>) {
    if strcmp(text, "GET") == 0 {
      method = .get
    } else if strcmp(text, "HEAD") == 0 {
      method = .head
    } else if strcmp(text, "POST") == 0 {
      method = .post
    }
  }
}

/// Where the walk through the fields stands.
private struct HeadWalk {
  /// Where the next name must begin.
  var cursor: UnsafePointer<CChar>
  /// Just past the empty line.
  let end: UnsafePointer<CChar>
  var framing: RequestFraming
  /// Read once: a static costs a check each time.
  let nameSet = RequestFraming.nameBytes
}

private let walkField: MHD_KeyValueIteratorN = { walk, _, name, nameBytes, value, valueBytes in
  guard let walk = walk?.assumingMemoryBound(to: HeadWalk.self) else { return .NO }
  guard let name, let value, walk.pointee.isNext(name, nameBytes, value, valueBytes) else {
    walk.pointee.framing.isExact = false
    return .NO
  }
  walk.pointee.framing.note(
    name: UnsafeRawBufferPointer(start: name, count: nameBytes),
    value: UnsafeRawBufferPointer(start: value, count: valueBytes))
  walk.pointee.cursor = value + valueBytes + 2
  return .YES
}

extension HeadWalk {
  /// Whether the field begins where the last one ended, is a token, a colon, blanks, a value and a CRLF.
  fileprivate func isNext(
    _ name: UnsafePointer<CChar>, _ nameBytes: Int, _ value: UnsafePointer<CChar>, _ valueBytes: Int
  ) -> Bool {
    guard name == cursor, nameBytes > 0, value > name + nameBytes, value + valueBytes + 2 <= end - 2 else {
      return false
    }
    let token = UnsafeRawBufferPointer(start: name, count: nameBytes)
    guard token.allSatisfy({ nameSet.contains($0) }) else { return false }
    var gap = name + nameBytes + 1
    while gap < value {
      guard gap.pointee == 0x20 || gap.pointee == 0x09 else { return false }
      gap += 1
    }
    // The byte at `valueBytes` is a NUL as the value's length was counted to one; the next one is only after CRLF.
    return value[valueBytes + 1] == 0 && memchr(value, 0x0D, valueBytes) == nil
  }
}

extension RequestFraming {
  /// What a field's name is made of: a token (RFC 9110 section 5.6.2).
  static let nameBytes = ASCIISet(letters: true, digits: true, others: "!#$%&'*+-.^_`|~")

  /// A field whose value says more than framing needs.
  enum Notable { case connection, expect, ifModifiedSince, ifNoneMatch }

  /// Takes note of a field that matters for framing; lengths first, so that most fields cost one comparison.
  @discardableResult
  mutating func note(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) -> Notable? {
    switch name.count {
    case 4 where Self.isNamed("host", name):
      hosts += 1
      let host = Self.trimmed(value)
      let hostSet = HostField.bytes
      if host.isEmpty || !host.allSatisfy({ hostSet.contains($0) }) { hostIsValid = false }
    case 6 where Self.isNamed("expect", name):
      expectsContinue = true
      return .expect
    case 10 where Self.isNamed("connection", name):
      return .connection
    case 13 where Self.isNamed("if-none-match", name):
      isConditional = true
      return .ifNoneMatch
    case 14 where Self.isNamed("content-length", name):
      contentLengths += 1
      contentLength = contentLengths == 1 ? Self.number(Self.trimmed(value)) : nil
    case 17 where Self.isNamed("transfer-encoding", name):
      hasTransferEncoding = true
    case 17 where Self.isNamed("if-modified-since", name):
      isConditional = true
      return .ifModifiedSince
    default: break
    }
    return nil
  }

  private static func isNamed(_ lowercased: StaticString, _ name: UnsafeRawBufferPointer) -> Bool {
    lowercased.withUTF8Buffer { $0.elementsEqual(name.lazy.map(AvatarHTTP.asciiLowercased)) }
  }

  private static func trimmed(_ value: UnsafeRawBufferPointer) -> Slice<UnsafeRawBufferPointer> {
    var value = value[...]
    while let last = value.last, last == 0x20 || last == 0x09 { value.removeLast() }
    return value
  }

  /// A number of 1 to 18 digits and nothing else.
  private static func number(_ digits: Slice<UnsafeRawBufferPointer>) -> UInt64? {
    guard !digits.isEmpty, digits.count <= 18 else { return nil }
    var number: UInt64 = 0
    for digit in digits {
      guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") else { return nil }
      number = number * 10 + UInt64(digit - UInt8(ascii: "0"))
    }
    return number
  }
}
