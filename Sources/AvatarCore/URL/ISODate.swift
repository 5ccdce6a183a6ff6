/// Dates of ISO 8601 in UTC as signers write them: `20260131T235959Z`, `2026-01-31T23:59:59.123Z`, `2026-01-31T23:59Z`,
/// `2026-01-31`.
enum ISODate {
  /// The moment, in whole seconds; nil for anything else.
  static func parse(_ text: some Collection<UInt8>) -> UnixTime? {
    let compact = text.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: ":") }
    guard compact.count >= 8, let date = ASCII.number(compact.prefix(8), atMost: 9999_12_31) else { return nil }
    let (year, month, day) = (date / 10_000, date / 100 % 100, date % 100)
    guard (1...12).contains(month), (1...31).contains(day) else { return nil }
    guard let seconds = secondsOfDay(compact.dropFirst(8)) else { return nil }
    return UnixTime(seconds: days(year, month, day) * 86_400 + seconds)
  }

  /// `THHMM[SS[.f…]]Z`, or nothing, which is midnight.
  private static func secondsOfDay(_ text: ArraySlice<UInt8>) -> Int64? {
    guard !text.isEmpty else { return 0 }
    guard text.first == UInt8(ascii: "T"), text.last == UInt8(ascii: "Z") else { return nil }
    let parts = text.dropFirst().dropLast().split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard let digits = parts.first, parts.count <= 2, digits.count == 4 || digits.count == 6,
      let value = ASCII.number(digits, atMost: 23_59_59), parts.count == 1 || parts[1].allSatisfy(ASCII.isDigit)
    else { return nil }
    let clock = digits.count == 4 ? value * 100 : value
    let (hour, minute, second) = (clock / 10_000, clock / 100 % 100, clock % 100)
    guard hour < 24, minute < 60, second < 60 else { return nil }
    return hour * 3600 + minute * 60 + second
  }

  /// Days from 1970-01-01 in the Gregorian calendar; years begin in March, so that the leap day is the last.
  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
  }
}
