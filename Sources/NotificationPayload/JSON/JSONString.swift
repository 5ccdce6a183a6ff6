/// What stands between a JSON string's quotes, decoded (RFC 8259 section 7), with the place that each byte came from.
struct JSONString {
  /// UTF-8. A lone surrogate, which JSON can write and Unicode cannot, becomes U+FFFD.
  private(set) var bytes: [UInt8] = []
  /// For each byte where the character or escape that it belongs to begins, and at the end where the contents end.
  private(set) var origins: [Int] = []

  /// Decodes contents that the parser has passed.
  init(contents: ArraySlice<UInt8>) {
    bytes.reserveCapacity(contents.count)
    origins.reserveCapacity(contents.count + 1)
    var position = contents.startIndex
    while position < contents.endIndex {
      let start = position
      guard contents[position] == UInt8(ascii: "\\") else {
        append(contents[position], start)
        position += 1
        continue
      }
      let kind = contents[position + 1]
      position += 2
      if let plain = Self.plainEscape(kind) {
        append(plain, start)
        continue
      }
      var scalar = Self.unit(contents, at: position)
      position += 4
      if (0xD800..<0xDC00).contains(scalar),
        contents[position...].starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "u")])
      {
        let low = Self.unit(contents, at: position + 2)
        if (0xDC00..<0xE000).contains(low) {
          scalar = 0x10000 + (scalar - 0xD800) << 10 + (low - 0xDC00)
          position += 6
        }
      }
      for byte in String(Unicode.Scalar(scalar) ?? "\u{FFFD}").utf8 { append(byte, start) }
    }
    origins.append(contents.endIndex)
  }

  /// Text as it stands between a JSON string's quotes: only what must be escaped is.
  static func escaped(_ text: some Sequence<UInt8>) -> [UInt8] {
    var escaped: [UInt8] = []
    for byte in text {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): escaped += [UInt8(ascii: "\\"), byte]
      case 0x0A: escaped += Array("\\n".utf8)
      case 0x0D: escaped += Array("\\r".utf8)
      case 0x09: escaped += Array("\\t".utf8)
      case 0..<0x20: escaped += Array("\\u00".utf8) + [hexadecimal(byte >> 4), hexadecimal(byte & 15)]
      default: escaped.append(byte)
      }
    }
    return escaped
  }

  /// What `\` and this byte stand for; nil for `u` and for what is no escape.
  static func plainEscape(_ kind: UInt8) -> UInt8? {
    switch kind {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): kind
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    default: nil
    }
  }

  /// A hexadecimal digit's value.
  static func digit(_ byte: UInt8) -> UInt32? {
    switch byte {
    case 0x30...0x39: UInt32(byte - 0x30)
    case 0x41...0x46: UInt32(byte - 0x41 + 10)
    case 0x61...0x66: UInt32(byte - 0x61 + 10)
    default: nil
    }
  }

  private mutating func append(_ byte: UInt8, _ origin: Int) {
    bytes.append(byte)
    origins.append(origin)
  }

  private static func unit(_ contents: ArraySlice<UInt8>, at position: Int) -> UInt32 {
    contents[position..<(position + 4)].reduce(0) { $0 << 4 | (digit($1) ?? 0) }
  }

  private static func hexadecimal(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x61 + value - 10 }
}
