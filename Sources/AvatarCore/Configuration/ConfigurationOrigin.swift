/// Where a value was given.
public enum ConfigurationOrigin: Hashable, Sendable, CustomStringConvertible {
  /// Nowhere: the default.
  case standard
  /// In the configuration file; the line is known where the value has one of its own.
  case file(path: String, line: Int?)
  /// In an environment variable of this name.
  case environment(String)
  /// In a flag of this name.
  case flag(String)

  /// `config/avatar-server.json5:12`, `AVATAR_FETCH_MAX_BYTES`, `--fetch-max-bytes`, `default`.
  public var description: String {
    switch self {
    case .standard: "default"
    case .file(let path, let line): path + (line.map { ":\($0)" } ?? "")
    case .environment(let name), .flag(let name): name
    }
  }
}
