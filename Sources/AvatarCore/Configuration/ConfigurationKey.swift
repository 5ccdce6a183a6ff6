/// One setting: its names in the file, in the environment and as a flag, what it means, what is allowed, its default.
/// The table of all of them, `all`, drives decoding, `--help`, `check`, the sample file and the documentation's test.
public struct ConfigurationKey: Sendable {
  /// What may be shown of a key's value.
  enum Confidentiality: Hashable, Sendable {
    /// Everything.
    case open
    /// Nothing but how many there are; no flag either, for other users can see a process's arguments.
    case secret(noun: String)
    /// What its type shows of it; a value that does not parse is not shown at all.
    case masked
  }

  /// The name in the file: `fetch.maxBytes`.
  public let name: String
  /// What it means, in one sentence without a full stop.
  public let summary: String
  /// What is allowed: completes 'allowed: …'.
  public let allowed: String
  /// The value's stand-in in `--help`: `SIZE`.
  public let placeholder: String
  /// What applies where nothing is given and there is no fixed default value: `one a core`; nil where there is one.
  public let whenAbsent: String?
  /// A value to show in the sample file where there is no default value.
  public let example: ConfigurationValue?
  let confidentiality: Confidentiality
  let shape: ConfigurationShape
  /// Reads a value into a configuration; appends why it may not be.
  let decode: @Sendable (ConfigurationValue, inout Configuration, inout [ConfigurationRejection]) -> Void
  /// A configuration's value as the file would write it, secrets masked by their type; `.null` where there is none.
  let encode: @Sendable (Configuration) -> ConfigurationValue

  /// A key with a default value.
  init<Value: Sendable>(
    _ name: String, _ path: any WritableKeyPath<Configuration, Value> & Sendable, _ type: ConfigurationType<Value>,
    hiding confidentiality: Confidentiality = .open, example: ConfigurationValue? = nil, _ summary: String
  ) {
    self.init(
      name: name, summary: summary, type: type, whenAbsent: nil, example: example, confidentiality,
      decode: { value, configuration, rejections in
        // `null` is the default, even if an earlier layer had said something else.
        let read = value == .null ? Configuration()[keyPath: path] : type.read(value, &rejections)
        if let read { configuration[keyPath: path] = read }
      }, encode: { type.show($0[keyPath: path]) })
  }

  /// A key without a default value; `whenAbsent` says what applies then.
  init<Value: Sendable>(
    _ name: String, _ path: any WritableKeyPath<Configuration, Value?> & Sendable, _ type: ConfigurationType<Value>,
    hiding confidentiality: Confidentiality = .open, whenAbsent: String, example: ConfigurationValue, _ summary: String
  ) {
    self.init(
      name: name, summary: summary, type: type, whenAbsent: whenAbsent, example: example, confidentiality,
      decode: { value, configuration, rejections in
        if value == .null {
          configuration[keyPath: path] = nil
        } else if let read = type.read(value, &rejections) {
          configuration[keyPath: path] = read
        }
      }, encode: { $0[keyPath: path].map(type.show) ?? .null })
  }

  private init<Value>(
    name: String, summary: String, type: ConfigurationType<Value>, whenAbsent: String?, example: ConfigurationValue?,
    _ confidentiality: Confidentiality,
    decode: @escaping @Sendable (ConfigurationValue, inout Configuration, inout [ConfigurationRejection]) -> Void,
    encode: @escaping @Sendable (Configuration) -> ConfigurationValue
  ) {
    self.name = name
    self.summary = summary
    self.allowed = type.allowed
    self.placeholder = type.placeholder
    self.whenAbsent = whenAbsent
    self.example = example
    self.confidentiality = confidentiality
    self.shape = type.shape
    self.decode = decode
    self.encode = encode
  }
}

extension ConfigurationKey {
  /// Whether its value is never shown and never taken from a flag.
  public var isSecret: Bool {
    if case .secret = confidentiality { true } else { false }
  }

  /// Whether its flag alone means `true`.
  public var isSwitch: Bool { shape == .flag }

  /// `AVATAR_FETCH_MAX_BYTES`
  public var environmentName: String { "AVATAR_" + words.joined(separator: "_").uppercased() }

  /// `--fetch-max-bytes`; nil for secrets.
  public var flagName: String? { isSecret ? nil : "--" + words.joined(separator: "-").lowercased() }

  /// The name cut at each dot and each hump; capitals in a row are one word: `publicBaseURL` → public, Base, URL.
  private var words: [String] {
    var words: [String] = []
    var wasLower = false
    for character in name {
      if character == "." || words.isEmpty || (character.isUppercase && wasLower) { words.append("") }
      if character != "." { words[words.count - 1].append(character) }
      wasLower = character.isLowercase
    }
    return words
  }

  /// The default value as the file writes it; nil where there is none.
  public var defaultValue: ConfigurationValue? {
    let value = encode(Configuration())
    return value == .null ? nil : value
  }

  /// What may be shown of the key's value in `configuration`; nil where there is none.
  public func shown(in configuration: Configuration) -> String? {
    let value = encode(configuration)
    guard case .secret(let noun) = confidentiality else { return value == .null ? nil : value.description }
    let count =
      switch value {
      case .list(let list): list.count
      case .object(let object): object.count
      default: 0
      }
    return count == 0 ? nil : "(\(count) \(noun)\(count == 1 ? "" : "s"))"
  }
}
