/// Host and port of a URL (RFC 3986 section 3.2). User information is refused: credentials in a URL end up in logs, and
/// parsers disagree on where they end.
struct URLAuthority {
  let host: Host
  /// 1…65535.
  let port: UInt16

  init(host: Host, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// Throws `invalid_source_url`. An empty port (`host:`) is the default one, leading zeros do not count.
  init(_ bytes: ArraySlice<UInt8>, defaultPort: UInt16, names: any InternationalNames) throws(AvatarError) {
    guard !bytes.contains(UInt8(ascii: "@")) else { throw SourceURL.invalid("user information") }
    let hostEnd: Int
    if bytes.first == UInt8(ascii: "[") {
      guard let bracket = bytes.firstIndex(of: UInt8(ascii: "]")) else {
        throw SourceURL.invalid("bad IPv6 literal")
      }
      hostEnd = bracket + 1
    } else {
      hostEnd = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
    }
    let afterHost = bytes[hostEnd...]
    guard afterHost.isEmpty || afterHost.first == UInt8(ascii: ":") else { throw SourceURL.invalid("bad host") }
    host = try Host(urlBytes: bytes[..<hostEnd], names: names)
    let digits = afterHost.dropFirst()
    if digits.isEmpty {
      port = defaultPort
    } else {
      guard let value = ASCII.number(digits, atMost: 65535), value > 0 else { throw SourceURL.invalid("bad port") }
      port = UInt16(value)
    }
  }
}
