import AvatarCore
import Glibc
import Testing

@Suite struct HTTPDateTests {
  static let now = UnixTime(seconds: 1_700_000_000)  // 14 November 2023, 22:13:20

  @Test(arguments: [
    ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
    ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
    ("Sun Nov  6 08:49:37 1994", 784_111_777),
    ("Wed Nov 16 08:49:37 1994", 784_975_777),
    ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
    ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
    ("Tue, 29 Feb 2000 12:00:00 GMT", 951_825_600),
    ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
    ("Mon, 01 Jan 0001 00:00:00 GMT", -62_135_596_800),
    ("sun, 06 nov 1994 08:49:37 gmt", 784_111_777),
    ("SUN, 06 NOV 1994 08:49:37 GMT", 784_111_777),
    ("Mon, 06 Nov 1994 08:49:37 GMT", 784_111_777),  // the weekday need not fit
    ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
  ])
  func `the three forms of RFC 9110 name the same moments`(text: String, seconds: Int64) {
    #expect(HTTPDate.parse(text, now: Self.now) == UnixTime(seconds: seconds), "\(text)")
  }

  @Test(arguments: [
    "", " ", "0", "-1", "tomorrow", "Sun", "Sun,", "Sun, ", "GMT", "1994-11-06T08:49:37Z",
    "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 ", "Sun, 06 Nov 1994 08:49:37 UTC",
    "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 06 Nov 1994 08:49:37 GMT+1", "Sun, 06 Nov 1994 08:49:37 GMT ",
    " Sun, 06 Nov 1994 08:49:37 GMT", "Sun,06 Nov 1994 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT",
    "Sun, 06-Nov 1994 08:49:37 GMT", "Sun, 06-Nov-1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT",
    "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:37 GMT",
    "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 06 Nov 1994 08.49.37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
    "Sun, 31 Nov 1994 08:49:37 GMT", "Tue, 29 Feb 1900 00:00:00 GMT", "Tue, 29 Feb 2023 00:00:00 GMT",
    "Sun, 06 Nox 1994 08:49:37 GMT", "Sun, 06 November 1994 08:49:37 GMT", "Sum, 06 Nov 1994 08:49:37 GMT",
    "Sat, 01 Jan 0000 00:00:00 GMT", "Sun Nov 6 08:49:37 1994", "Sun Nov  6 08:49:37 1994 GMT",
    "Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov ١٩٩٤ 08:49:37 GMT",
    "Sun, -6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 19940 08:49:37 GMT", "\u{0}", "Sun, 06 Nov 1994 08:49:37 GM\u{212A}",
  ])
  func `what is none of the three forms is no date`(text: String) {
    #expect(HTTPDate.parse(text, now: Self.now) == nil, "\(text)")
  }

  @Test(arguments: [
    (1994, "94", 1994), (2023, "23", 2023), (2023, "73", 2073), (2023, "74", 1974), (2023, "22", 2022),
    (2023, "00", 2000), (2099, "05", 2105), (2099, "99", 2099), (2099, "48", 2148), (2099, "50", 2050),
    (1970, "19", 2019), (1970, "69", 1969),
  ])
  func `a two digit year is at most fifty years ahead`(present: Int, digits: String, year: Int) throws {
    let now = try #require(HTTPDate.parse("Sun, 06 Nov \(present) 08:49:37 GMT", now: Self.now))
    let parsed = try #require(HTTPDate.parse("Sunday, 06-Nov-\(digits) 08:49:37 GMT", now: now))
    #expect(HTTPDate.format(parsed).contains(" \(year) "), "\(digits) in \(present) is \(HTTPDate.format(parsed))")
  }

  @Test func `fifty years ahead to the second is the future, one second more the past`() {
    let now = UnixTime(seconds: 784_111_777)
    #expect(HTTPDate.parse("Sunday, 06-Nov-44 08:49:37 GMT", now: now).map(HTTPDate.format)?.contains("2044") == true)
    #expect(HTTPDate.parse("Sunday, 06-Nov-44 08:49:38 GMT", now: now).map(HTTPDate.format)?.contains("1944") == true)
  }

  @Test(arguments: [Int64.min, -62_135_596_801_000, 253_402_300_800_000, Int64.max])
  func `a moment that no date can say becomes the nearest that can`(milliseconds: Int64) {
    let text = HTTPDate.format(UnixTime(milliseconds: milliseconds))
    #expect(text == (milliseconds < 0 ? "Mon, 01 Jan 0001 00:00:00 GMT" : "Fri, 31 Dec 9999 23:59:59 GMT"))
    #expect(
      HTTPDate.parse("Sunday, 06-Nov-94 08:49:37 GMT", now: UnixTime(milliseconds: milliseconds)) != nil
        || milliseconds < 0, "a hostile clock harms nothing")
  }

  @Test func `random moments read as the C library writes them, and come back`() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(seed: seed)
    for _ in 0..<5000 {
      let milliseconds = Int64.random(in: -62_135_596_800_000...253_402_300_799_999, using: &random)
      let time = UnixTime(milliseconds: milliseconds)
      var second = time_t(time.seconds)
      var parts = tm()
      gmtime_r(&second, &parts)
      var buffer = [CChar](repeating: 0, count: 64)
      let length = strftime(&buffer, 64, "%a, %d %b %Y %H:%M:%S GMT", &parts)
      // The C library writes a year below 1000 without leading zeros.
      let day = String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
      let year = String(parts.tm_year + 1900)
      let padded = String(repeating: "0", count: max(0, 4 - year.count)) + year
      let expected = day.prefix(12) + padded + day.suffix(13)
      #expect(HTTPDate.format(time) == String(expected), "seed \(seed)")
      #expect(HTTPDate.parse(expected, now: Self.now) == UnixTime(seconds: time.seconds), "seed \(seed)")
    }
  }

  @Test func `rubbish of any length is no date and no fault`() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(seed: seed)
    let form = Array("Sun, 06 Nov 1994 08:49:37 GMT".unicodeScalars)
    for _ in 0..<5000 {
      var scalars = form
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: 0..<scalars.count, using: &random)
        let scalar = Unicode.Scalar(UInt8.random(in: 0...255, using: &random))
        if Bool.random(using: &random) { scalars[place] = scalar } else { scalars.insert(scalar, at: place) }
      }
      var text = ""
      text.unicodeScalars.append(contentsOf: scalars)
      if let date = HTTPDate.parse(text, now: Self.now) {
        let again = HTTPDate.parse(HTTPDate.format(date), now: Self.now)
        #expect(again == date, "seed \(seed): \(text)")
      }
    }
  }
}
