import AvatarCore
import Testing

@testable import AvatarService

struct CommandLineTests {
  static let digest = String(repeating: "ab", count: 32)

  @Test(
    arguments: [
      ("serve", .serve(demo: false)), ("serve --demo", .serve(demo: true)),
      ("--config x serve --demo", .serve(demo: true)),
      ("warm urls.txt", .warm(list: .file("urls.txt"), fit: .cover, refresh: false)),
      ("warm -", .warm(list: .standardInput, fit: .cover, refresh: false)),
      ("warm --refresh --fit contain -- -x", .warm(list: .file("-x"), fit: .contain, refresh: true)),
      ("url https://a.example/1", .url(sources: ["https://a.example/1"], fit: .cover)),
      ("url --fit=contain a b", .url(sources: ["a", "b"], fit: .contain)),
      ("inspect a --json", .inspect(sources: ["a"], fit: .cover, json: true)), ("cache stat", .cacheStat),
      ("cache --cache-directory d verify", .cacheVerify), ("cache list", .cacheList),
      ("cache purge a b --soft", .cachePurge(.sources(["a", "b"]), soft: true)),
      ("cache purge --all", .cachePurge(.everything, soft: false)), ("check", .check(defaults: false)),
      ("check --defaults", .check(defaults: true)), ("health", .health), ("--version", .version),
      ("serve --version", .version),
      ("--help", .help(command: nil)), ("-h", .help(command: nil)), ("help", .help(command: nil)),
      ("help serve", .help(command: "serve")), ("serve --help", .help(command: "serve")),
      ("cache --help", .help(command: "cache")), ("cache purge -h", .help(command: "cache purge")),
      ("help cache purge", .help(command: "cache purge")), ("--config x.json5 url --help", .help(command: "url")),
      ("serve --nonsense --help", .help(command: "serve")), ("nonsense --help", .help(command: nil)),
    ] as [(String, Command)])
  func `a command line is read`(line: String, command: Command) throws {
    #expect(try CommandLineParser.parse(line.split(separator: " ").map(String.init)).command == command, "\(line)")
  }

  @Test func `purges are selected by host or hash`() throws {
    let host = try #require(HostPattern("*.example.com"))
    let hash = ContentHash(try #require(Digest256(hex: Self.digest)))
    #expect(
      try CommandLineParser.parse(["cache", "purge", "--host", "*.example.com"]).command
        == .cachePurge(.host(host), soft: false))
    #expect(
      try CommandLineParser.parse(["cache", "purge", "--soft", "--sha256=\(Self.digest.uppercased())"]).command
        == .cachePurge(.object(hash), soft: true))
  }

  @Test(arguments: [
    ("", "a command is missing"), ("--config x", "a command is missing"), ("serv", "did you mean serve?"),
    ("cache", "cache needs one of"), ("cache drop", "unknown command cache drop"),
    ("cache purg", "did you mean cache purge?"),
    ("serve x", "takes no argument, not x"), ("warm", "exactly one argument"), ("warm a b", "exactly one argument"),
    ("url", "at least one SOURCE"), ("inspect", "at least one SOURCE"),
    ("url --fit fill a", "cover or contain, not fill"),
    ("cache purge", "takes source URLs or one of"), ("cache purge a --all", "takes source URLs or one of"),
    ("cache purge --all --host a.example", "takes source URLs or one of"),
    ("cache purge --sha256 abc", "64 hexadecimal"),
    ("cache purge --host *", "--host takes a host"), ("serve --fetch-max-byte 1", "did you mean --fetch-max-bytes?"),
    ("serve --fetchMaxBytes 1", "did you mean --fetch-max-bytes?"), ("serve --demo=1", "--demo takes no value"),
    ("serve --config", "--config needs a value"), ("serve --listen --demo", "--listen needs a value"),
    ("serve -x", "unknown option -x"), ("serve --", ""), ("check --demo", "unknown option --demo"),
    ("serve --signing-keys 00", "is a secret and has no flag"), ("serve --control-tokens=x", "AVATAR_CONTROL_TOKENS"),
    ("serve --fetch-headers {}", "AVATAR_FETCH_HEADERS"),
    ("serve --allow-unsigned true", "takes no argument, not true"),
  ])
  func `a wrong usage is one line and exit 2`(line: String, reason: String) {
    do {
      let parsed = try CommandLineParser.parse(line.split(separator: " ").map(String.init))
      #expect(reason.isEmpty, "\(line) was read as \(parsed.command)")
    } catch {
      #expect(!reason.isEmpty && error.message.contains(reason), "\(line): \(error)")
      let result = CommandResult(error)
      #expect(result.exitStatus == 2 && result.output.isEmpty)
      #expect(result.complaint.hasPrefix("avatar-server: ") && result.complaint.hasSuffix("--help')\n"))
      #expect(result.complaint.count { $0.isNewline } == 1, "\(result.complaint)")
    }
  }

  @Test func `a wrong usage stays one line whatever was typed`() {
    let typed = ["serve", "--a\n\u{1B}[2J\r\u{85}" + String(repeating: "x", count: 100_000)]
    #expect(throws: UsageError.self) { try CommandLineParser.parse(typed) }
    do {
      _ = try CommandLineParser.parse(typed)
    } catch {
      #expect("\(error)".count < 600)
      #expect(!"\(error)".unicodeScalars.contains { $0.properties.generalCategory == .control }, "\(error)")
    }
  }

  @Test func `settings are flags, with a blank or an equals sign, anywhere, the later winning`() throws {
    let line = ["--fetch-max-bytes", "5MiB", "serve", "--fetch-max-bytes=6MiB", "--allow-unsigned", "--log-level="]
    let invocation = try CommandLineParser.parse(line)
    #expect(
      invocation.flags.map { "\($0.name)=\($0.text)" } == [
        "fetch.maxBytes=5MiB", "fetch.maxBytes=6MiB", "allowUnsigned=true", "log.level=",
      ])
    let negative = try CommandLineParser.parse(["serve", "--image-size", "-1", "--allow-unsigned=false"])
    #expect(negative.flags.map(\.text) == ["-1", "false"])
  }

  @Test(arguments: ConfigurationKey.all.compactMap(\.flagName))
  func `every key's flag is one of every command`(flag: String) throws {
    let commands = ["serve", "warm x", "url x", "inspect x", "cache stat", "cache purge x", "check", "health"]
    for command in commands {
      let line = command.split(separator: " ").map(String.init) + ["\(flag)=x"]
      #expect(try CommandLineParser.parse(line).flags.map(\.text) == ["x"], "\(command) \(flag)")
    }
  }

  @Test(arguments: CommandSpecification.all.map(\.name) + ["cache"])
  func `every command has a help text of at most 100 columns`(name: String) throws {
    let text = HelpText.text(for: name)
    #expect(text.hasPrefix("avatar-server \(name)"))
    #expect(text.contains("Usage: avatar-server \(name)"))
    for line in text.split(separator: "\n") { #expect(line.count <= 100, "\(line)") }
    for option in CommandSpecification.named(name)?.options ?? [] { #expect(text.contains(option.name)) }
    #expect(HelpText.text(for: nil).contains("\n  \(name)"))
  }
}
