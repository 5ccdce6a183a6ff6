/// ASCII rules that URLs share; no locale, no Foundation.
enum ASCII {
  static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) }

  static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  /// 0…15 for a hexadecimal digit of either case, else nil.
  static func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  static func lowercasedBytes(_ bytes: some Collection<UInt8>) -> [UInt8] {
    bytes.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
  }

  static func lowercased(_ bytes: some Collection<UInt8>) -> String {
    String(decoding: lowercasedBytes(bytes), as: UTF8.self)
  }

  /// The decimal number that all of `digits` spell; nil if empty, over `limit` or with anything else in it.
  static func number(_ digits: some Collection<UInt8>, atMost limit: Int64) -> Int64? {
    guard !digits.isEmpty else { return nil }
    var value: Int64 = 0
    for digit in digits {
      guard isDigit(digit) else { return nil }
      let (tens, tensOverflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, overflow) = tens.addingReportingOverflow(Int64(digit - UInt8(ascii: "0")))
      guard !tensOverflow, !overflow, sum <= limit else { return nil }
      value = sum
    }
    return value
  }
}
