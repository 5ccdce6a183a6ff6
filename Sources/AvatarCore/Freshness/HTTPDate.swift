/// Dates in HTTP header fields (RFC 9110 section 5.6.7).
public enum HTTPDate {
  /// The moment that `text` names in one of the three forms of RFC 9110; nil if it is none of them or no such day exists.
  ///
  /// Names count in any case and the weekday need not fit the date; everything else is by the grammar. A two-digit year is the one
  /// that is nearest to `now`, at most fifty years ahead. Second 60 is the next minute's first.
  public static func parse(_ text: some StringProtocol, now: UnixTime) -> UnixTime? {
    var scanner = ByteScanner(String(text))
    let weekday = scanner.take { $0.isLetter }
    guard isWeekday(weekday) else { return nil }
    if scanner.take(.comma) {
      guard scanner.take(0x20), let day = scanner.takeNumber(digits: 2) else { return nil }
      let separator = UInt8(ascii: scanner.next == 0x20 ? " " : "-")
      guard scanner.take(separator), let month = takeMonth(&scanner), scanner.take(separator) else { return nil }
      let isShort = separator != 0x20
      guard let year = scanner.takeNumber(digits: isShort ? 2 : 4), scanner.take(0x20),
        let second = takeTime(&scanner), scanner.take(0x20),
        scanner.take(while: { $0.isLetter }).equalsIgnoringCase("gmt"), scanner.isAtEnd
      else { return nil }
      guard isShort else { return moment(CivilDate(year: year, month: month, day: day), second: second) }
      return nearest(CivilDate(year: year, month: month, day: day), second: second, now: now)
    }
    // asctime: `Sun Nov  6 08:49:37 1994`
    guard scanner.take(0x20), let month = takeMonth(&scanner), scanner.take(0x20) else { return nil }
    let day = scanner.take(0x20) ? scanner.takeNumber(digits: 1) : scanner.takeNumber(digits: 2)
    guard let day, scanner.take(0x20), let second = takeTime(&scanner), scanner.take(0x20),
      let year = scanner.takeNumber(digits: 4), scanner.isAtEnd
    else { return nil }
    return moment(CivilDate(year: year, month: month, day: day), second: second)
  }

  /// The second that `time` falls in as an IMF-fixdate of 29 bytes; years outside 1…9999 become the nearest moment inside.
  public static func format(_ time: UnixTime) -> String {
    let seconds = min(lastSecond, max(firstSecond, time.seconds))
    let second = Int(((seconds % 86_400) + 86_400) % 86_400)
    let days = Int((seconds - Int64(second)) / 86_400)
    let date = CivilDate(daysSince1970: days)
    let weekday = (((days + 4) % 7) + 7) % 7  // 1970-01-01 was a Thursday.
    var bytes: [UInt8] = []
    bytes.reserveCapacity(29)
    bytes.append(contentsOf: weekdays[weekday].utf8.prefix(3))
    bytes.append(contentsOf: ", ".utf8)
    append(date.day, digits: 2, to: &bytes)
    bytes.append(0x20)
    bytes.append(contentsOf: months[date.month - 1].utf8)
    bytes.append(0x20)
    append(date.year, digits: 4, to: &bytes)
    for (lead, number) in [(" ", second / 3600), (":", second / 60 % 60), (":", second % 60)] {
      bytes.append(contentsOf: lead.utf8)
      append(number, digits: 2, to: &bytes)
    }
    bytes.append(contentsOf: " GMT".utf8)
    return String(decoding: bytes, as: UTF8.self)
  }

  private static let weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
  private static let firstSecond = Int64(CivilDate(year: 1, month: 1, day: 1).daysSince1970) * 86_400
  private static let lastSecond = Int64(CivilDate(year: 9999, month: 12, day: 31).daysSince1970) * 86_400 + 86_399

  private static func isWeekday(_ name: Substring.UTF8View) -> Bool {
    weekdays.contains { day in
      (name.count == 3 || name.count == day.utf8.count)
        && zip(name, day.utf8).allSatisfy { $0.lowercased == $1.lowercased }
    }
  }

  private static func takeMonth(_ scanner: inout ByteScanner) -> Int? {
    let name = scanner.take { $0.isLetter }
    guard name.count == 3 else { return nil }
    let index = months.firstIndex { zip(name, $0.utf8).allSatisfy { $0.lowercased == $1.lowercased } }
    return index.map { $0 + 1 }
  }

  /// Seconds since midnight of `hh:mm:ss`.
  private static func takeTime(_ scanner: inout ByteScanner) -> Int? {
    guard let hour = scanner.takeNumber(digits: 2), hour < 24, scanner.take(UInt8(ascii: ":")),
      let minute = scanner.takeNumber(digits: 2), minute < 60, scanner.take(UInt8(ascii: ":")),
      let second = scanner.takeNumber(digits: 2), second <= 60
    else { return nil }
    return hour * 3600 + minute * 60 + second
  }

  private static func moment(_ date: CivilDate, second: Int) -> UnixTime? {
    guard date.exists else { return nil }
    return UnixTime(seconds: Int64(date.daysSince1970) * 86_400 + Int64(second))
  }

  /// RFC 9110 section 5.6.7: what seems more than fifty years ahead is the most recent year with the same two digits.
  private static func nearest(_ date: CivilDate, second: Int, now: UnixTime) -> UnixTime? {
    let present = min(lastSecond, max(firstSecond, now.seconds))
    let secondOfDay = ((present % 86_400) + 86_400) % 86_400
    var limit = CivilDate(daysSince1970: Int((present - secondOfDay) / 86_400))
    limit.year += 50
    let latest = Int64(limit.daysSince1970) * 86_400 + secondOfDay
    var candidate = date
    candidate.year += limit.year / 100 * 100
    while Int64(candidate.daysSince1970) * 86_400 + Int64(second) > latest { candidate.year -= 100 }
    return moment(candidate, second: second)
  }

  private static func append(_ number: Int, digits: Int, to bytes: inout [UInt8]) {
    var divisor = 1
    for _ in 1..<digits { divisor *= 10 }
    while divisor > 0 {
      bytes.append(UInt8(0x30 + number / divisor % 10))
      divisor /= 10
    }
  }
}
