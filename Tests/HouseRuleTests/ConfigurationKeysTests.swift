import AvatarCore
import AvatarService
import FoundationEssentials
import Testing

/// File, code, documentation and `--help` name the same keys with the same defaults.
struct ConfigurationKeysTests {
  static let root = #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" }

  static func text(of path: String) throws -> String {
    try String(decoding: Data(contentsOf: URL(filePath: "\(root)/\(path)")), as: UTF8.self)
  }

  /// The row of a key in `docs/configuration.md`.
  static func row(of key: ConfigurationKey) -> String {
    let standard = key.defaultValue.map { value in
      switch value {
      case .list([]), .object([:]): "none"
      case .object: "see the file"
      default: "`\(value)`"
      }
    }
    let allowed = key.allowed.replacing(", written like ", with: " | ").prefix { $0 != "|" }
    let columns = ["`\(key.name)`", standard ?? key.whenAbsent ?? "none", "\(key.summary)", String(allowed)]
    return "| " + columns.map { $0.trimmed }.joined(separator: " | ") + " |"
  }

  @Test func `the configuration file is what the code says it is`() throws {
    #expect(
      try Self.text(of: "config/avatar-server.json5") == ConfigurationText.sample,
      "make it anew: avatar-server check --defaults > config/avatar-server.json5")
  }

  @Test func `the configuration file holds every key and loads as the defaults`() throws {
    let (root, lines, duplicates) = try JSON5Text.parseFile(try Self.text(of: "config/avatar-server.json5"))
    #expect(duplicates.isEmpty)
    let optional = ConfigurationKey.all.filter { $0.defaultValue == nil }
    for key in ConfigurationKey.all where key.defaultValue != nil { #expect(lines[key.name] != nil, "\(key.name)") }
    #expect(optional.allSatisfy { $0.whenAbsent != nil && $0.example != nil })
    let loaded = try Configuration.load(
      ConfigurationInputs(
        file: ConfigurationInputs.File(path: "config/avatar-server.json5", root: root), parse: { JSON5Text.parse($0) },
        readSecrets: { _ in .failure(SecretFile.Unreadable(reason: "none is named")) }))
    for key in ConfigurationKey.all {
      #expect(key.shown(in: loaded.configuration) == key.shown(in: Configuration()), "\(key.name)")
    }
  }

  @Test func `the keys that the file leaves out are there as comments that load once they are given`() throws {
    let lines = try Self.text(of: "config/avatar-server.json5").split(separator: "\n").map { $0.trimmed }
    for key in ConfigurationKey.all where key.defaultValue == nil {
      let leaf = key.name.split(separator: ".").last ?? ""
      let comment = try #require(lines.first { $0.hasPrefix("// \(leaf): ") }, "\(key.name)")
      let parsed = JSON5Text.parse("{\(comment.dropFirst(3))}")
      #expect(parsed == key.example.map { .object([String(leaf): $0]) }, "\(comment)")
    }
  }

  @Test func `the documentation has a row for every key, and no other`() throws {
    let documented = try Self.text(of: "docs/configuration.md").split(separator: "\n").filter { $0.hasPrefix("| `") }
      .map(String.init)
    let wanted = ConfigurationKey.all.map(Self.row)
    #expect(documented == wanted, "the table should be:\n\(wanted.joined(separator: "\n"))")
  }

  @Test func `every setting is read by something`() throws {
    let folder = "\(Self.root)/Sources"
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder).filter { path in
      path.hasSuffix(".swift")
        && !["ConfigurationReading.swift", "ConfigurationReading+Checks.swift", "ConfigurationKeys.swift"].contains {
          path.hasSuffix($0)
        }
    }
    let sources = try files.map { try Self.text(of: "Sources/\($0)") }.joined(separator: "\n")
    // What the service reads instead of the setting itself.
    let derived = ["publicBaseURL": "baseURL", "allowUnsigned": "allowsUnsigned", "identity": "identityRules"]
    for setting in Self.settings(of: Configuration()) where !setting.hasPrefix("payload.") {
      let parts = setting.split(separator: ".")
      // `cache.maxBytes`, `configuration.requestBudget`, or the whole group handed on: `(configuration.tls)`.
      let uses =
        parts.count > 1 ? [setting, "configuration.\(parts[0]))"] : ["configuration.\(derived[setting] ?? setting)"]
      #expect(uses.contains { sources.contains($0) }, "\(setting) is read by nothing: a key without effect")
    }
  }

  /// The stored properties of a configuration; those of its groups with the group's name before them.
  static func settings(of configuration: Configuration) -> [String] {
    Mirror(reflecting: configuration).children.flatMap { child -> [String] in
      let name = child.label ?? ""
      let isGroup = String(reflecting: type(of: child.value)).hasPrefix("AvatarCore.Configuration.")
      return isGroup ? Mirror(reflecting: child.value).children.map { "\(name).\($0.label ?? "")" } : [name]
    }
  }

  @Test func `--help names every key in all its forms`() {
    let help = HelpText.text(for: "serve").split(separator: "\n").map { $0.trimmed }
    for key in ConfigurationKey.all {
      let names = "\(key.name), \(key.environmentName)"
      #expect(help.contains(key.isSecret ? "\(names); a secret, no flag" : names), "\(key.name)")
      let first = key.flagName ?? key.name
      #expect(help.contains { $0 == first || $0.hasPrefix(first + " ") || $0.hasPrefix(first + "[") }, "\(first)")
    }
    let flags = help.filter { $0.hasPrefix("--") }.compactMap { line in
      line.split(whereSeparator: { $0 == " " || $0 == "[" }).first.map(String.init)
    }
    #expect(Set(flags) == Set(ConfigurationKey.all.compactMap(\.flagName) + ["--demo", "--config", "--help"]))
  }
}

extension StringProtocol {
  fileprivate var trimmed: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
