/// A day of the Gregorian calendar, years 1 and up.
struct CivilDate: Hashable, Sendable {
  var year: Int
  /// 1…12.
  var month: Int
  /// 1…31.
  var day: Int

  init(year: Int, month: Int, day: Int) {
    self.year = year
    self.month = month
    self.day = day
  }

  /// The day that is so many days after 1970-01-01.
  init(daysSince1970 days: Int) {
    // An estimate by the mean year is off by at most one.
    var year = 1970 + Int((Double(days) / 365.2425).rounded(.down))
    while Self.daysBefore(year) > days { year -= 1 }
    while Self.daysBefore(year + 1) <= days { year += 1 }
    var left = days - Self.daysBefore(year)
    var month = 1
    while left >= Self.length(ofMonth: month, year: year) {
      left -= Self.length(ofMonth: month, year: year)
      month += 1
    }
    self.init(year: year, month: month, day: left + 1)
  }

  /// Whether the calendar has that day.
  var exists: Bool {
    year >= 1 && (1...12).contains(month) && day >= 1 && day <= Self.length(ofMonth: month, year: year)
  }

  /// Days after 1970-01-01, negative before. A day past its month's end counts on into the next month.
  var daysSince1970: Int {
    var days = Self.daysBefore(year) + day - 1
    for earlier in 1..<month { days += Self.length(ofMonth: earlier, year: year) }
    return days
  }

  private static func isLeap(_ year: Int) -> Bool {
    year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
  }

  private static func length(ofMonth month: Int, year: Int) -> Int {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Days from 1970-01-01 to the first of January of `year`.
  private static func daysBefore(_ year: Int) -> Int {
    let passed = year - 1
    let leapDays = passed / 4 - passed / 100 + passed / 400
    return 365 * (year - 1970) + leapDays - 477  // 477 leap days before 1970
  }
}
