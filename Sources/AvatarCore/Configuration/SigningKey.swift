/// Signing keys as operators write them.
enum SigningKey {
  static let allowed = "a key of 16 to 1024 bytes in hexadecimal digits"

  /// Reads 32…2048 hexadecimal digits in pairs; nil for anything else.
  static func parse(_ text: some StringProtocol) -> [UInt8]? {
    let digits = text.utf8.map { byte in byte < 0x80 ? Character(UnicodeScalar(byte)).hexDigitValue : nil }
    guard digits.count % 2 == 0, (32...2048).contains(digits.count) else { return nil }
    var key: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = digits[index], let low = digits[index + 1] else { return nil }
      key.append(UInt8(high << 4 | low))
    }
    return key
  }
}
