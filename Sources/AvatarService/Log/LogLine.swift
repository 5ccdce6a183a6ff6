import AvatarCore

/// One line of the log as bytes. A pure function: the same event at the same moment is the same line.
enum LogLine {
  /// A text is cut after so many bytes, so that one value cannot fill the log.
  static let maximumTextBytes = 2048

  /// The line with its line feed. JSON: `{"time":"…","level":"info","event":"request",…}`, fields in their order. Text:
  /// `2026-01-31T12:00:00.123Z INFO    request status=200 …`.
  static func encode(
    _ format: Configuration.Log.Format, time: UnixTime, _ level: LogLevel, _ event: StaticString,
    _ fields: [(StaticString, LogValue)]
  ) -> [UInt8] {
    var line: [UInt8] = []
    line.reserveCapacity(128 + 32 * fields.count)
    switch format {
    case .json:
      line += "{\"time\":\"".utf8
      append(time, to: &line)
      line += "\",\"level\":\"".utf8
      line += level.rawValue.utf8
      line += "\",\"event\":".utf8
      appendQuoted(event.description, to: &line)
      for (name, value) in fields {
        line.append(UInt8(ascii: ","))
        appendQuoted(name.description, to: &line)
        line.append(UInt8(ascii: ":"))
        append(value, to: &line) { appendQuoted($0, to: &$1) }
      }
      line.append(UInt8(ascii: "}"))
    case .text:
      append(time, to: &line)
      line += " \(level.rawValue.uppercased()) ".utf8
      line += repeatElement(UInt8(ascii: " "), count: LogLevel.warning.rawValue.count - level.rawValue.count)
      line += event.description.utf8
      for (name, value) in fields {
        line.append(UInt8(ascii: " "))
        line += name.description.utf8
        line.append(UInt8(ascii: "="))
        append(value, to: &line) { text, line in
          let isPlain =
            !text.isEmpty
            && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "=") }
          if isPlain, text.utf8.count <= maximumTextBytes { line += text.utf8 } else { appendQuoted(text, to: &line) }
        }
      }
    }
    line.append(UInt8(ascii: "\n"))
    return line
  }

  private static func append(
    _ value: LogValue, to line: inout [UInt8], text appendText: (String, inout [UInt8]) -> Void
  ) {
    switch value {
    case .text(let text): appendText(text, &line)
    case .number(let number): line += String(number).utf8
    case .flag(let flag): line += (flag ? "true" : "false").utf8
    case .duration(let duration):
      // Milliseconds with three decimals, without a Double's surprises.
      let (seconds, attoseconds) = duration.components
      let microseconds = abs(attoseconds / 1_000_000_000_000)
      if seconds < 0 || attoseconds < 0 { line.append(UInt8(ascii: "-")) }
      let fraction = String(microseconds % 1000)
      let whole = seconds.magnitude.multipliedReportingOverflow(by: 1000)
      line += String(whole.overflow ? .max : whole.partialValue + UInt64(microseconds / 1000)).utf8
      line += ("." + String(repeating: "0", count: 3 - fraction.count) + fraction).utf8
    }
  }

  /// A JSON string. Escapes what JSON must have escaped and what could steer a terminal or forge a line's look: control
  /// characters (C0, DEL, C1), line and paragraph separators, marks that turn the direction of text.
  private static func appendQuoted(_ text: String, to line: inout [UInt8]) {
    line.append(UInt8(ascii: "\""))
    var budget = maximumTextBytes
    for scalar in text.unicodeScalars {
      budget -= UTF8.width(scalar)
      guard budget >= 0 else {
        line += "…".utf8
        break
      }
      switch scalar.value {
      case 0x22, 0x5C:
        line.append(UInt8(ascii: "\\"))
        line.append(UInt8(scalar.value))
      case 0x0A: line += "\\n".utf8
      case 0x20...0x7E: line.append(UInt8(scalar.value))
      case 0...0x1F, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069:
        let digits = String(scalar.value, radix: 16)
        line += ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).utf8
      default: line += String(scalar).utf8
      }
    }
    line.append(UInt8(ascii: "\""))
  }

  /// `2026-01-31T12:00:00.123Z` (RFC 3339).
  private static func append(_ time: UnixTime, to line: inout [UInt8]) {
    // Years 0…9999, so that a clock gone wild still gives a time of the usual length.
    let range: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999
    let milliseconds = min(max(time.milliseconds, range.lowerBound), range.upperBound)
    let days = (milliseconds >= 0 ? milliseconds : milliseconds - 86_399_999) / 86_400_000
    let inDay = milliseconds - days * 86_400_000
    let (year, month, day) = civil(days)
    func digits(_ number: Int64, _ width: Int, _ end: Character) {
      let text = String(number)
      line += repeatElement(UInt8(ascii: "0"), count: width - text.utf8.count)
      line += text.utf8
      line += String(end).utf8
    }
    digits(year, 4, "-")
    digits(month, 2, "-")
    digits(day, 2, "T")
    digits(inDay / 3_600_000, 2, ":")
    digits(inDay / 60_000 % 60, 2, ":")
    digits(inDay / 1000 % 60, 2, ".")
    digits(inDay % 1000, 3, "Z")
  }

  /// The Gregorian date of a day counted from 1970-01-01: years of 365.2425 days that begin in March, so that the leap
  /// day is a year's last.
  private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
  }
}
