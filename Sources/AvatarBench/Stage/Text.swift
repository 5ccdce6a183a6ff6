/// Numbers as people read them.
enum Text {
  /// `850 ns`, `12.3 µs`, `4.56 ms`, `1.20 s`.
  static func seconds(_ value: Double) -> String {
    let size = abs(value)
    if size >= 1 { return "\(digits(value)) s" }
    if size >= 1e-3 { return "\(digits(value * 1e3)) ms" }
    if size >= 1e-6 { return "\(digits(value * 1e6)) µs" }
    return size == 0 ? "0 s" : "\(digits(value * 1e9)) ns"
  }

  /// `12 %`.
  static func percent(_ share: Double) -> String { "\(Int((share * 100).rounded())) %" }

  /// `12.3 MiB`.
  static func bytes(_ value: Double) -> String {
    for (unit, size) in [("GiB", 1073741824.0), ("MiB", 1048576.0), ("KiB", 1024.0)] where abs(value) >= size {
      return "\(digits(value / size)) \(unit)"
    }
    return "\(Int(value)) B"
  }

  /// Three significant digits without an exponent.
  static func digits(_ value: Double) -> String {
    guard value.isFinite else { return "\(value)" }
    let size = abs(value)
    let places = size >= 100 ? 0 : size >= 10 ? 1 : 2
    let scale = [1.0, 10, 100][places]
    let scaled = (value * scale).rounded()
    guard abs(scaled) < 1e15 else { return "\(value)" }
    let whole = Int64(abs(scaled))
    let text = "\(scaled < 0 ? "-" : "")\(whole / Int64(scale))"
    guard places > 0 else { return text }
    let rest = "\(whole % Int64(scale))"
    return "\(text).\(String(repeating: "0", count: places - rest.count))\(rest)"
  }

  /// A figure's value in its unit.
  static func value(_ value: Double, _ unit: Figure.Unit) -> String {
    switch unit {
    case .seconds: seconds(value)
    case .ratio: digits(value)
    case .count: value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : digits(value)
    case .bytes: bytes(value)
    case .perSecond: "\(digits(value)) /s"
    case .decibels: "\(digits(value)) dB"
    }
  }
}
