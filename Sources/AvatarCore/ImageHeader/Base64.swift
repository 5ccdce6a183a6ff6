/// Base64 of RFC 4648 as it stands in data URIs: white space between the digits and missing padding are let through.
public enum Base64 {
  /// The bytes of `text`; nil where it holds anything but digits, white space and padding at its end.
  public static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    var buffer: UInt32 = 0
    var held: UInt32 = 0
    var padding = 0
    for digit in text {
      let value: UInt8
      switch digit {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = digit - 65
      case UInt8(ascii: "a")...UInt8(ascii: "z"): value = digit - 71
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digit + 4
      case UInt8(ascii: "+"): value = 62
      case UInt8(ascii: "/"): value = 63
      case UInt8(ascii: "="):
        padding += 1
        continue
      case 9, 10, 12, 13, 32: continue
      default: return nil
      }
      guard padding == 0 else { return nil }
      buffer = buffer << 6 | UInt32(value)
      held += 6
      if held >= 8 {
        held -= 8
        bytes.append(UInt8(truncatingIfNeeded: buffer >> held))
      }
    }
    guard padding <= 2 && held < 6 else { return nil }
    return bytes
  }

  /// The text of `bytes`, padded.
  public static func encode(_ bytes: [UInt8]) -> [UInt8] {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let value = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
      for index in 0..<4 {
        text.append(index <= group.count ? digits[value >> (18 - 6 * index) & 63] : UInt8(ascii: "="))
      }
    }
    return text
  }
}
