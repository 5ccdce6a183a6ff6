/// Configurations as people read them: the sample file with every default, and the values in effect.
public enum ConfigurationText {
  /// A JSON5 file that holds every key with its default and its meaning; loads as it is. Keys without a default value
  /// are there as comments.
  public static var sample: String {
    let head = """
      // Settings of avatar-server: every key with its default. Later wins: this file, then the environment
      // (AVATAR_FETCH_MAX_BYTES), then flags (--fetch-max-bytes). `avatar-server check` loads everything, lists every
      // fault and prints what is in effect. Durations: "250ms", "5s", "10m", "24h", "30d". Sizes: "12KiB", "10MiB".

      """
    return head
      + layout { key, indent in
        let summary = sentence(key.summary) + (key.whenAbsent.map { " Without it: \($0)." } ?? "")
        var lines = wrapped(summary, width: 116 - indent.count).map { "\(indent)// \($0)" }
        if let value = key.defaultValue {
          lines.append("\(indent)\(leaf(key.name)): \(pretty(value, indent: indent)),")
        } else if let example = key.example {
          lines.append("\(indent)// \(leaf(key.name)): \(example),")
        }
        return lines + [""]
      }
  }

  /// The values in effect as JSON5, each with where it was given; secrets and values that are not there as comments.
  public static func effective(_ loaded: LoadedConfiguration) -> String {
    layout { key, indent in
      let name = leaf(key.name)
      let origin = loaded.origins[key.name] ?? .standard
      let shown = key.shown(in: loaded.configuration)
      return if let shown, !key.isSecret {
        ["\(indent)\(name): \(shown),  // \(origin)"]
      } else if let shown {
        ["\(indent)// \(name): \(shown), \(secretOrigin(of: key, loaded))"]
      } else {
        ["\(indent)// \(name): \(key.whenAbsent ?? "none")"]
      }
    }
  }

  /// Secrets may have come out of the file that another key names.
  private static func secretOrigin(of key: ConfigurationKey, _ loaded: LoadedConfiguration) -> String {
    let file = ConfigurationKey.byName[key.name + "File"]
    if let file, let path = file.shown(in: loaded.configuration) { return "from \(path)" }
    return "\(loaded.origins[key.name] ?? .standard)"
  }

  /// The keys in order, those of a group inside its braces.
  private static func layout(_ lines: (ConfigurationKey, _ indent: String) -> [String]) -> String {
    var result = ["{"]
    var group = ""
    func close() {
      if result.last == "" { result.removeLast() }
      if !group.isEmpty { result += ["  },"] }
    }
    for key in ConfigurationKey.all {
      let prefix = key.name.lastIndex(of: ".").map { String(key.name[..<$0]) } ?? ""
      if prefix != group {
        let hadGap = result.last == ""
        close()
        if hadGap { result.append("") }
        group = prefix
        if !group.isEmpty { result.append("  \(group): {") }
      }
      result += lines(key, group.isEmpty ? "  " : "    ")
    }
    close()
    return (result + ["}", ""]).joined(separator: "\n")
  }

  private static func leaf(_ name: String) -> String {
    name.lastIndex(of: ".").map { String(name[name.index(after: $0)...]) } ?? name
  }

  private static func sentence(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() + "." }

  /// Objects with several members take a line each.
  private static func pretty(_ value: ConfigurationValue, indent: String) -> String {
    guard case .object(let members) = value, members.count > 1 else { return value.description }
    let lines = members.sorted { $0.key < $1.key }.map { "\(indent)  \(ConfigurationValue.name($0.key)): \($0.value)," }
    return (["{"] + lines + ["\(indent)}"]).joined(separator: "\n")
  }

  /// Words in lines of at most `width` characters; a longer word gets a line of its own.
  public static func wrapped(_ text: String, width: Int) -> [String] {
    var lines: [String] = []
    for word in text.split(separator: " ") {
      if let last = lines.last, last.count + 1 + word.count <= width {
        lines[lines.count - 1] += " " + word
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }
}
