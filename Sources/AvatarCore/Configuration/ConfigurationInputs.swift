/// Everything that a configuration is made of, read but not understood.
public struct ConfigurationInputs: Sendable {
  /// The configuration file; nil without one, or where it cannot be read.
  public var file: File?
  /// What was wrong with the file before its values were looked at.
  public var fileFaults: [ConfigurationFault]
  /// The process's environment; names that do not begin with `AVATAR_` are not looked at.
  public var environment: [String: String]
  /// The keys' flags in the order given, later ones winning: (key's name, text).
  public var flags: [(name: String, text: String)]
  /// Parses JSON5 from the environment or a flag; nil where it is not JSON5.
  public var parse: @Sendable (String) -> ConfigurationValue?
  /// Reads `signingKeysFile` and `controlTokensFile`.
  public var readSecrets: @Sendable (String) -> Result<SecretFile, SecretFile.Unreadable>

  /// Makes inputs.
  public init(
    file: File? = nil, fileFaults: [ConfigurationFault] = [], environment: [String: String] = [:],
    flags: [(name: String, text: String)] = [],
    parse: @escaping @Sendable (String) -> ConfigurationValue?,
    readSecrets: @escaping @Sendable (String) -> Result<SecretFile, SecretFile.Unreadable>
  ) {
    self.file = file
    self.fileFaults = fileFaults
    self.environment = environment
    self.flags = flags
    self.parse = parse
    self.readSecrets = readSecrets
  }

  /// The configuration file's content.
  public struct File: Sendable {
    /// As it is named in faults.
    public var path: String
    /// Its tree: an object.
    public var root: ConfigurationValue
    /// The line of each member by its dotted path, as far as they are known.
    public var lines: [String: Int]
    /// Whether users other than its owner and group can read it.
    public var isWorldReadable: Bool

    /// Makes a file.
    public init(path: String, root: ConfigurationValue, lines: [String: Int] = [:], isWorldReadable: Bool = false) {
      self.path = path
      self.root = root
      self.lines = lines
      self.isWorldReadable = isWorldReadable
    }
  }
}
