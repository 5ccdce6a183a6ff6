/// Byte counts as people write them: `12KiB`, `10MiB`, `1.5GiB`, or a plain number of bytes.
public enum ByteCountText {
  private static let units: [(suffix: String, bytes: Int64)] = [
    ("", 1), ("B", 1), ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40),
  ]

  /// Reads a number with an optional binary unit; nil for anything else (`10MB`, `10 MiB`, `-1`), for fractions of a
  /// byte and for what does not fit an `Int`.
  public static func parse(_ text: some StringProtocol) -> Int? {
    let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    guard let unit = units.first(where: { $0.suffix == text.dropFirst(number.count) }) else { return nil }
    return DecimalText.scaled(number, by: unit.bytes).flatMap { Int(exactly: $0) }
  }

  /// Writes a count with the largest unit that leaves no fraction; `parse` reads it back unchanged.
  public static func format(_ bytes: Int) -> String {
    let unit = units.last { $0.suffix != "B" && bytes != 0 && Int64(bytes) % $0.bytes == 0 } ?? units[0]
    return "\(Int64(bytes) / unit.bytes)\(unit.suffix)"
  }
}
