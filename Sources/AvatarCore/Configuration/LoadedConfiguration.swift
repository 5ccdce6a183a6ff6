/// A configuration that may be served by, with where each value came from.
public struct LoadedConfiguration: Sendable {
  /// The settings.
  public let configuration: Configuration
  /// What an operator should know at the start, a sentence each.
  public let warnings: [String]
  /// Where each key's value was given; keys that are missing have their defaults.
  public let origins: [String: ConfigurationOrigin]
}

extension Configuration {
  /// Decodes file, environment and flags, the later winning key by key, and checks the whole.
  /// Throws every fault that there is, at once.
  public static func load(_ inputs: ConfigurationInputs) throws(ConfigurationFaults) -> LoadedConfiguration {
    var reading = ConfigurationReading(inputs: inputs)
    reading.faults = inputs.fileFaults
    reading.readFile()
    reading.readEnvironment()
    reading.readFlags()
    reading.decode()
    reading.readSecretFiles()
    // Without the file's values, what does not fit together may be missing rather than wrong.
    if inputs.file != nil || inputs.fileFaults.isEmpty { reading.check() }
    guard reading.faults.isEmpty else { throw ConfigurationFaults(reading.faults) }
    return LoadedConfiguration(
      configuration: reading.configuration, warnings: reading.warnings, origins: reading.given.mapValues(\.origin))
  }
}
