/// Percent-encoding (RFC 3986 section 2.1).
enum PercentCoding {
  /// Appends a path or query, every byte that RFC 3986 does not allow there as `%XX`; what is encoded already stays as
  /// it is, in its own case. Throws `invalid_source_url` for a `%` without two hexadecimal digits.
  static func append(_ bytes: ArraySlice<UInt8>, to output: inout [UInt8]) throws(AvatarError) {
    var index = bytes.startIndex
    while index < bytes.endIndex {
      let byte = bytes[index]
      if byte == UInt8(ascii: "%") {
        guard index + 2 < bytes.endIndex, ASCII.hexValue(bytes[index + 1]) != nil,
          ASCII.hexValue(bytes[index + 2]) != nil
        else { throw SourceURL.invalid("bad percent-encoding") }
        output.append(byte)
      } else if isAllowed(byte) {
        output.append(byte)
      } else {
        output.append(UInt8(ascii: "%"))
        output.append(hexDigits[Int(byte >> 4)])
        output.append(hexDigits[Int(byte & 15)])
      }
      index += 1
    }
  }

  /// The bytes with every `%XX` decoded once and nothing else changed (`+` stays `+`); nil for a bad `%`.
  static func decode(_ text: some StringProtocol) -> [UInt8]? {
    var output: [UInt8] = []
    output.reserveCapacity(text.utf8.count)
    var bytes = text.utf8.makeIterator()
    while let byte = bytes.next() {
      if byte == UInt8(ascii: "%") {
        guard let high = bytes.next().flatMap(ASCII.hexValue), let low = bytes.next().flatMap(ASCII.hexValue) else {
          return nil
        }
        output.append(high << 4 | low)
      } else {
        output.append(byte)
      }
    }
    return output
  }

  private static let hexDigits = Array("0123456789ABCDEF".utf8)

  /// `pchar`, `/` and `?`: what path and query may hold bare (RFC 3986 sections 3.3 and 3.4).
  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default:
      "-._~!$&'()*+,;=:@/?".utf8.contains(byte)
    }
  }
}
