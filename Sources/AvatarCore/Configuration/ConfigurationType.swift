/// What may stand for a key, how it is read and how it is shown. One value of this type a kind of setting.
struct ConfigurationType<Value: Sendable>: Sendable {
  /// What is allowed, for fault lines and documents: completes 'allowed: …'.
  let allowed: String
  /// The value's stand-in in `--help`.
  let placeholder: String
  /// How a text becomes a value to read.
  var shape = ConfigurationShape.scalar
  /// Reads a value; nil after having appended why.
  let read: @Sendable (ConfigurationValue, inout [ConfigurationRejection]) -> Value?
  /// The value as the file would write it.
  let show: @Sendable (Value) -> ConfigurationValue
}

/// How a text from the environment or a flag becomes a value to read.
enum ConfigurationShape: Sendable {
  /// The text itself.
  case scalar
  /// The text, where a flag alone means `true`.
  case flag
  /// Comma-separated items.
  case list
  /// JSON5.
  case object
}

/// A part of a value that may not be: where in it, what it is, and what is allowed there.
struct ConfigurationRejection: Hashable, Sendable {
  /// Behind the key's name: `[2]`, `["*.example.com"].Host`; empty for the whole value.
  var place = ""
  /// What stands there.
  var value: ConfigurationValue
  /// What may stand there.
  var allowed: String
}

extension ConfigurationType {
  /// A type whose values are texts in the file as well.
  init(
    allowed: String, placeholder: String, parse: @escaping @Sendable (String) -> Value?,
    format: @escaping @Sendable (Value) -> String
  ) {
    self.init(
      allowed: allowed, placeholder: placeholder,
      read: { value, rejections in
        if case .text(let text) = value, let parsed = parse(text) { return parsed }
        rejections.append(ConfigurationRejection(value: value, allowed: allowed))
        return nil
      }, show: { .text(format($0)) })
  }

  /// Reads a part of a value; what is rejected in it is named by its place in the whole.
  func read(
    _ value: ConfigurationValue, at place: String, _ rejections: inout [ConfigurationRejection]
  ) -> Value? {
    var inner: [ConfigurationRejection] = []
    let result = read(value, &inner)
    rejections += inner.map {
      ConfigurationRejection(place: place + $0.place, value: $0.value, allowed: $0.allowed)
    }
    return result
  }

  /// Zero or more of this type; a single one may stand without brackets.
  func list(of plural: String, atMost limit: Int = 10_000) -> ConfigurationType<[Value]> {
    ConfigurationType<[Value]>(
      allowed: "a list of \(plural), each \(allowed)", placeholder: "\(placeholder),…", shape: .list,
      read: { value, rejections in
        var items: [ConfigurationValue]
        if case .list(let list) = value { items = list } else { items = [value] }
        guard items.count <= limit else {
          rejections.append(ConfigurationRejection(value: value, allowed: "at most \(limit) \(plural)"))
          return nil
        }
        return items.enumerated().compactMap { index, item in
          read(item, at: "[\(index)]", &rejections)
        }
      }, show: { .list($0.map(show)) })
  }
}

extension ConfigurationType {
  /// The same, but written as JSON5 in the environment and in flags.
  var asJSON: Self { Self(allowed: allowed, placeholder: "JSON", shape: .object, read: read, show: show) }
}

extension ConfigurationType where Value == Duration {
  /// A duration in `range`.
  static func duration(_ range: ClosedRange<Duration>) -> Self {
    Self(
      allowed: "a duration from \(DurationText.format(range.lowerBound)) to "
        + "\(DurationText.format(range.upperBound)), written like \"250ms\", \"5s\", \"10m\", \"24h\" or \"30d\"",
      placeholder: "DURATION",
      parse: { DurationText.parse($0).flatMap { range.contains($0) ? $0 : nil } }, format: DurationText.format)
  }
}

extension ConfigurationType where Value == Int {
  /// A whole number in `range`.
  static func count(_ range: ClosedRange<Int>) -> Self {
    number(
      range, allowed: "a whole number from \(range.lowerBound) to \(range.upperBound)", placeholder: "COUNT",
      parse: { DecimalText.digits($0).flatMap { Int(exactly: $0) } }, show: { .integer(Int64($0)) })
  }

  /// A number of bytes in `range`.
  static func bytes(_ range: ClosedRange<Int>) -> Self {
    number(
      range,
      allowed: "a size from \(ByteCountText.format(range.lowerBound)) to \(ByteCountText.format(range.upperBound)), "
        + "written like \"12KiB\", \"10MiB\", \"1GiB\" or in bytes",
      placeholder: "SIZE", parse: { ByteCountText.parse($0) },
      show: { $0 == 0 ? .integer(0) : .text(ByteCountText.format($0)) })
  }

  private static func number(
    _ range: ClosedRange<Int>, allowed: String, placeholder: String, parse: @escaping @Sendable (String) -> Int?,
    show: @escaping @Sendable (Int) -> ConfigurationValue
  ) -> Self {
    Self(
      allowed: allowed, placeholder: placeholder,
      read: { value, rejections in
        let number: Int? =
          switch value {
          case .integer(let integer): Int(exactly: integer)
          case .text(let text): parse(text)
          default: nil
          }
        if let number, range.contains(number) { return number }
        rejections.append(ConfigurationRejection(value: value, allowed: allowed))
        return nil
      }, show: show)
  }
}

extension ConfigurationType where Value == Bool {
  /// `true` or `false`.
  static let flag = Self(
    allowed: "true or false", placeholder: "BOOLEAN", shape: .flag,
    read: { value, rejections in
      switch value {
      case .flag(let flag): return flag
      case .text("true"): return true
      case .text("false"): return false
      default:
        rejections.append(ConfigurationRejection(value: value, allowed: "true or false"))
        return nil
      }
    }, show: { .flag($0) })
}

extension ConfigurationType where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
  /// One of the type's names.
  static func oneOf() -> Self {
    let names = Value.allCases.map(\.rawValue)
    return Self(
      allowed: names.map { "\"\($0)\"" }.joined(separator: " or "), placeholder: names.joined(separator: "|"),
      parse: { Value(rawValue: $0) }, format: { $0.rawValue })
  }
}
