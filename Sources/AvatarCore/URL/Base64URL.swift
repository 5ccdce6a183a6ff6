/// Base64 with the URL alphabet and without padding (RFC 4648 section 5).
public enum Base64URL {
  /// Encodes, unpadded.
  public static func encode(_ bytes: some Collection<UInt8>) -> String {
    var output: [UInt8] = []
    output.reserveCapacity((bytes.count * 4 + 2) / 3)
    var window: UInt32 = 0
    var bits: UInt32 = 0
    for byte in bytes {
      window = window << 8 | UInt32(byte)
      bits += 8
      while bits >= 6 {
        bits -= 6
        output.append(alphabet[Int(window >> bits & 63)])
      }
    }
    if bits > 0 { output.append(alphabet[Int(window << (6 - bits) & 63)]) }
    return String(decoding: output, as: UTF8.self)
  }

  /// Decodes strictly: no padding, no other alphabet, no impossible length, no bits left over, so that every byte string has
  /// exactly one text. Nil otherwise.
  public static func decode(_ text: some StringProtocol) -> [UInt8]? {
    var output: [UInt8] = []
    output.reserveCapacity(text.utf8.count * 3 / 4)
    var window: UInt32 = 0
    var bits: UInt32 = 0
    for digit in text.utf8 {
      guard let value = value(of: digit) else { return nil }
      window = window << 6 | value
      bits += 6
      if bits >= 8 {
        bits -= 8
        output.append(UInt8(truncatingIfNeeded: window >> bits))
      }
    }
    guard bits < 6, window & (1 << bits - 1) == 0 else { return nil }
    return output
  }

  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  private static func value(of digit: UInt8) -> UInt32? {
    switch digit {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "-"): 62
    case UInt8(ascii: "_"): 63
    default: nil
    }
  }
}
