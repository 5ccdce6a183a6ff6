import AvatarCore

/// Options and operands of a command: `--name VALUE`, `--name=VALUE`, `--flag`, the rest as it is.
struct OptionReading {
  private(set) var operands: [String] = []
  private var values: [String: String] = [:]

  /// Throws for an option that is in neither list, and for a value that is missing.
  init(_ arguments: [String], values names: Set<String>, flags: Set<String>) throws(BenchUsage) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      guard argument.hasPrefix("--") else {
        if argument.hasPrefix("-"), argument != "-" { throw BenchUsage(message: "unknown option \(argument)") }
        operands.append(argument)
        continue
      }
      let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0])
      if flags.contains(name), parts.count == 1 {
        values[name] = ""
      } else if names.contains(name) {
        guard let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
          throw BenchUsage(message: "--\(name) needs a value")
        }
        values[name] = value
      } else {
        throw BenchUsage(message: "unknown option --\(name)")
      }
    }
  }

  /// An option's value; nil where it was not given.
  subscript(_ name: String) -> String? { values[name] }

  /// Whether a flag was given.
  func has(_ flag: String) -> Bool { values[flag] != nil }

  /// A whole number within bounds.
  func number(_ name: String, _ bounds: ClosedRange<UInt64>, or standard: UInt64) throws(BenchUsage) -> UInt64 {
    guard let text = values[name] else { return standard }
    guard let number = UInt64(text), bounds.contains(number) else {
      throw BenchUsage(message: "--\(name) is a whole number from \(bounds.lowerBound) to \(bounds.upperBound)")
    }
    return number
  }

  /// A positive number that may have a fraction.
  func decimal(_ name: String, _ bounds: ClosedRange<Double>, or standard: Double) throws(BenchUsage) -> Double {
    guard let text = values[name] else { return standard }
    guard let number = Double(text), bounds.contains(number) else {
      throw BenchUsage(message: "--\(name) is a number from \(bounds.lowerBound) to \(bounds.upperBound)")
    }
    return number
  }

  /// A length of time with its unit, in seconds.
  func seconds(_ name: String, _ bounds: ClosedRange<Double>, or standard: Double) throws(BenchUsage) -> Double {
    guard let text = values[name] else { return standard }
    guard let duration = DurationText.parse(text) else {
      throw BenchUsage(message: "--\(name) is a duration such as 500ms, 5s or 10m")
    }
    let seconds = Double(duration.milliseconds) / 1000
    guard bounds.contains(seconds) else {
      throw BenchUsage(message: "--\(name) is from \(bounds.lowerBound)s to \(bounds.upperBound)s")
    }
    return seconds
  }
}
