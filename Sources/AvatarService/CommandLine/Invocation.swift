public import AvatarCore

/// A command with the settings that came beside it.
public struct Invocation: Sendable {
  /// What is to be done.
  public let command: Command
  /// `--config`, nil without.
  public let configurationPath: String?
  /// Settings given as flags, in order: (key's name, text).
  public let flags: [(name: String, text: String)]

  /// Loads the configuration that the command runs by; again and again for reloads. Blocks while it reads files.
  public func loadConfiguration(
    environment: [String: String]
  ) throws(ConfigurationFaults) -> LoadedConfiguration {
    try ConfigurationLoader(path: configurationPath, environment: environment, flags: flags).load()
  }
}
