/// Durations as people write them: `250ms`, `5s`, `1.5s`, `10m`, `24h`, `30d`.
public enum DurationText {
  private static let units: [(suffix: String, milliseconds: Int64)] = [
    ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
  ]

  /// Reads a number and a unit without a blank between them; nil for anything else, for what does not come to whole
  /// milliseconds, and for more than 100,000 days. There is no default unit and no sign.
  public static func parse(_ text: some StringProtocol) -> Duration? {
    let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    guard let unit = units.first(where: { $0.suffix == text.dropFirst(number.count) }),
      let milliseconds = DecimalText.scaled(number, by: unit.milliseconds), milliseconds <= 100_000 * 86_400_000
    else { return nil }
    return .milliseconds(milliseconds)
  }

  /// Writes whole milliseconds with the largest unit that leaves no fraction; `parse` reads it back unchanged.
  public static func format(_ duration: Duration) -> String {
    let milliseconds = duration.milliseconds
    guard milliseconds != 0 else { return "0s" }
    let unit = units.last { milliseconds % $0.milliseconds == 0 } ?? units[0]
    // What people say: 24h rather than 1d, 60s rather than 1m.
    if milliseconds == 86_400_000 { return "24h" }
    if milliseconds == 60_000 { return "60s" }
    return "\(milliseconds / unit.milliseconds)\(unit.suffix)"
  }
}
