import AvatarCore

/// The texts of `--help`, made from the tables of commands and keys.
public enum HelpText {
  /// The help of a command (`serve`, `cache purge`, `cache`), or of the program. At most 100 columns.
  public static func text(for command: String?) -> String {
    guard let command else { return program }
    if let specification = CommandSpecification.named(command) { return text(for: specification) }
    let group = CommandSpecification.all.filter { $0.name.hasPrefix(command + " ") }
    return group.isEmpty ? program : group.map(text(for:)).joined(separator: "\n")
  }

  private static var program: String {
    """
    avatar-server fetches, normalizes, caches and serves chat avatars.

    Usage: avatar-server COMMAND [OPTION…]

    Commands:
    \(table(CommandSpecification.all.map { ($0.name + $0.operands.synopsis, $0.summary) }))

    Options:
    \(table(common + [("--version", "print the version")]))

    Every setting of the configuration is a flag of every command, too: see 'avatar-server serve --help'.
    Exit status: 0 done, 1 it failed, 2 wrong usage, 78 the configuration has faults.

    """
  }

  private static let common = [
    ("--config FILE", "read settings from FILE (JSON5) rather than \(ConfigurationLoader.defaultPath)"),
    ("--help", "print this; after a command, that command's help"),
  ]

  private static func text(for specification: CommandSpecification) -> String {
    let isServe = specification.name == "serve"
    let options = specification.options.map { ($0.name + ($0.placeholder.map { " " + $0 } ?? ""), $0.summary) }
    var parts = [
      "avatar-server \(specification.name): \(specification.summary)",
      "Usage: avatar-server \(specification.name) [OPTION…]\(specification.operands.synopsis)",
    ]
    parts += specification.details.map { ConfigurationText.wrapped($0, width: columns).joined(separator: "\n") }
    parts.append("Options:\n" + table(options + common))
    parts.append(isServe ? settings : "Settings are flags here, too: see 'avatar-server serve --help'.")
    return parts.joined(separator: "\n\n") + "\n"
  }

  /// Every key: as a flag where it has one, else as it is in file and environment.
  private static var settings: String {
    let head =
      "Settings, in the configuration file, in the environment or as flags; later wins. Durations are written 250ms, "
      + "5s, 10m, 24h, 30d; sizes 12KiB, 10MiB; lists with commas."
    let keys = ConfigurationKey.all.map { key in
      let first = key.flagName.map { $0 + (key.isSwitch ? "[=true|false]" : " " + key.placeholder) } ?? key.name
      let standard =
        key.defaultValue.map { value in
          let text = value == .list([]) || value == .object([:]) ? "none" : value.description
          return text.count > 60 ? "see config/avatar-server.json5" : text
        } ?? key.whenAbsent ?? "none"
      let lines =
        ConfigurationText.wrapped(key.summary, width: columns - 6)
        + ConfigurationText.wrapped("Default: \(standard)", width: columns - 6)
        + ["\(key.name), \(key.environmentName)" + (key.isSecret ? "; a secret, no flag" : "")]
      return "  \(first)\n" + lines.map { "      \($0)" }.joined(separator: "\n")
    }
    return ([ConfigurationText.wrapped(head, width: columns).joined(separator: "\n")] + keys).joined(separator: "\n")
  }

  private static let columns = 100

  /// Two columns, the second wrapped.
  private static func table(_ rows: [(String, String)]) -> String {
    let width = min(rows.map(\.0.count).max() ?? 0, 28)
    return rows.map { left, right in
      let lines = ConfigurationText.wrapped(right, width: columns - width - 4)
      let gap = String(repeating: " ", count: width + 4)
      let isWide = left.count > width
      let first = "  " + left + (isWide ? "\n" + gap : String(repeating: " ", count: width - left.count + 2))
      return first + lines.joined(separator: "\n" + gap)
    }.joined(separator: "\n")
  }
}
