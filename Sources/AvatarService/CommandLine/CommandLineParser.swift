import AvatarCore

/// Reads the command line of `avatar-server`.
public enum CommandLineParser {
  /// Reads `arguments` (without the program's name) into a command and its settings. Settings are given as
  /// `--fetch-max-bytes 5MiB` or `--fetch-max-bytes=5MiB`, anywhere; given twice, the later wins; `--` ends the options.
  /// What a setting's text means is not looked at here: that is the configuration's to report.
  public static func parse(_ arguments: [String]) throws(UsageError) -> Invocation {
    var parsing = CommandLineParsing(arguments)
    return try parsing.parse()
  }
}

/// One run over a command line.
private struct CommandLineParsing {
  private var rest: ArraySlice<String>
  private let arguments: [String]
  private var specification: CommandSpecification?
  private var operands: [String] = []
  private var options: [String: String] = [:]
  private var configurationPath: String?
  private var flags: [(name: String, text: String)] = []

  /// Keys by their flag.
  private static let keys = Dictionary(
    ConfigurationKey.all.compactMap { key in key.flagName.map { ($0, key) } }, uniquingKeysWith: { first, _ in first })

  init(_ arguments: [String]) {
    self.arguments = arguments
    rest = arguments[...]
  }

  mutating func parse() throws(UsageError) -> Invocation {
    if let asked = helpOrVersion() { return invocation(asked) }
    while let argument = rest.popFirst() {
      if argument == "--" {
        for operand in rest { try take(operand) }
        rest = []
      } else if argument.hasPrefix("-"), argument != "-" {
        try takeOption(argument)
      } else {
        try take(argument)
      }
    }
    guard let specification else {
      throw usage(
        operands.isEmpty
          ? "a command is missing"
          : "cache needs one of stat, verify, list and purge")
    }
    return invocation(try command(specification))
  }

  private func invocation(_ command: Command) -> Invocation {
    Invocation(command: command, configurationPath: configurationPath, flags: flags)
  }

  /// `--help` and `--version` win over everything else that may be wrong with the line.
  private func helpOrVersion() -> Command? {
    let options = arguments.prefix { $0 != "--" }
    guard options.contains("--help") || options.contains("-h") || options.first == "help" else {
      return options.contains("--version") ? .version : nil
    }
    let words = options.filter { !$0.hasPrefix("-") && $0 != "help" }
    let name = words.indices.lazy.map { words[$0...].prefix(2).joined(separator: " ") }
      .first { CommandSpecification.named($0) != nil }
    let single = words.first { CommandSpecification.named($0) != nil || $0 == "cache" }
    return .help(command: name ?? single)
  }

  // MARK: Words

  private mutating func take(_ word: String) throws(UsageError) {
    guard specification == nil else { return operands.append(word) }
    operands.append(word)
    let name = operands.joined(separator: " ")
    if let found = CommandSpecification.named(name) {
      specification = found
      operands = []
    } else if name != "cache" {
      let known = CommandSpecification.all.map(\.name)
      throw usage("unknown command \(name)" + Spelling.hint(for: name, among: known))
    }
  }

  private mutating func takeOption(_ argument: String) throws(UsageError) {
    let equals = argument.firstIndex(of: "=")
    let name = String(argument[..<(equals ?? argument.endIndex)])
    let attached = equals.map { String(argument[argument.index(after: $0)...]) }
    if name == "--config" {
      configurationPath = try value(of: name, attached)
    } else if let key = Self.keys[name] {
      flags.append((key.name, key.isSwitch ? attached ?? "true" : try value(of: name, attached)))
    } else if let option = specification?.options.first(where: { $0.name == name }) {
      if option.placeholder != nil {
        options[name] = try value(of: name, attached)
      } else if attached == nil {
        options[name] = ""
      } else {
        throw usage("\(name) takes no value")
      }
    } else if let secret = ConfigurationKey.all.first(where: { $0.isSecret && Self.flag(of: $0) == name }) {
      let file = ConfigurationKey.byName[secret.name + "File"]?.flagName.map { ", or \($0)" } ?? ""
      throw usage(
        "\(secret.name) is a secret and has no flag: use the configuration file, \(secret.environmentName)\(file)")
    } else {
      let known = Self.keys.keys.sorted() + (specification?.options.map(\.name) ?? []) + ["--config"]
      throw usage("unknown option \(name)" + Spelling.hint(for: name, among: known))
    }
  }

  /// The flag that a secret would have.
  private static func flag(of key: ConfigurationKey) -> String {
    "--" + key.environmentName.dropFirst("AVATAR_".count).lowercased().split(separator: "_").joined(separator: "-")
  }

  private mutating func value(of name: String, _ attached: String?) throws(UsageError) -> String {
    if let attached { return attached }
    guard let next = rest.first, next == "-" || !next.hasPrefix("--") else { throw usage("\(name) needs a value") }
    rest.removeFirst()
    return next
  }

  // MARK: Commands

  private func command(_ specification: CommandSpecification) throws(UsageError) -> Command {
    switch specification.operands {
    case .none:
      if let extra = operands.first { throw usage("\(specification.name) takes no argument, not \(extra)") }
    case .one(let name):
      guard operands.count == 1 else { throw usage("\(specification.name) takes exactly one argument: \(name)") }
    case .atLeastOne(let name):
      if operands.isEmpty { throw usage("\(specification.name) needs at least one \(name)") }
    case .any:
      break
    }
    switch specification.name {
    case "serve": return .serve(demo: options["--demo"] != nil)
    case "warm":
      let list = operands[0] == "-" ? Command.WarmList.standardInput : .file(operands[0])
      return .warm(list: list, fit: try fit(), refresh: options["--refresh"] != nil)
    case "url": return .url(sources: operands, fit: try fit())
    case "inspect": return .inspect(sources: operands, fit: try fit(), json: options["--json"] != nil)
    case "cache stat": return .cacheStat
    case "cache verify": return .cacheVerify
    case "cache list": return .cacheList
    case "cache purge": return .cachePurge(try selection(), soft: options["--soft"] != nil)
    case "check": return .check(defaults: options["--defaults"] != nil)
    case "health": return .health
    default: preconditionFailure("a command of the table without a meaning: \(specification.name)")
    }
  }

  private func fit() throws(UsageError) -> Fit {
    guard let text = options["--fit"] else { return .cover }
    guard let fit = Fit(rawValue: text) else { throw usage("--fit is cover or contain, not \(text)") }
    return fit
  }

  private func selection() throws(UsageError) -> Command.PurgeSelection {
    var selections: [Command.PurgeSelection] = operands.isEmpty ? [] : [.sources(operands)]
    if let text = options["--host"] {
      guard let pattern = HostPattern(text) else {
        throw usage("--host takes a host such as example.com or *.example.com, not \(text)")
      }
      selections.append(.host(pattern))
    }
    if let text = options["--sha256"] {
      guard let digest = Digest256(hex: text.lowercased()) else {
        throw usage("--sha256 takes 64 hexadecimal digits, not \(text)")
      }
      selections.append(.object(ContentHash(digest)))
    }
    if options["--all"] != nil { selections.append(.everything) }
    guard selections.count == 1, let selection = selections.first else {
      throw usage("cache purge takes source URLs or one of --host, --sha256 and --all")
    }
    return selection
  }

  private func usage(_ message: String) -> UsageError {
    UsageError(message: message, command: specification?.name ?? operands.first.flatMap { $0 == "cache" ? $0 : nil })
  }
}
