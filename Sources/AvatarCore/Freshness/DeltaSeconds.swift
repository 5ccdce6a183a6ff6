/// RFC 9111 section 1.2.2: `delta-seconds`, a whole number of seconds without a sign.
enum DeltaSeconds {
  /// What larger numbers count as; small enough that no sum of a few overflows.
  static let maximum: Int64 = 1 << 31

  /// The number, at most `maximum`; nil unless it is one or more digits and nothing else.
  static func parse(_ digits: Substring.UTF8View) -> Int64? {
    guard !digits.isEmpty else { return nil }
    var seconds: Int64 = 0
    for byte in digits {
      guard byte.isDigit else { return nil }
      seconds = min(maximum, seconds * 10 + Int64(byte - 0x30))
    }
    return seconds
  }

  /// Brings a number from storage into 0…`maximum`.
  static func clamp(_ seconds: Int64) -> Int64 { min(maximum, max(0, seconds)) }
}
