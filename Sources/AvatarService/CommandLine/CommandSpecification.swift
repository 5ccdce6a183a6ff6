/// What a command takes, once for the parser and for `--help`.
struct CommandSpecification: Sendable {
  /// An option of a command.
  struct Option: Sendable {
    /// With its dashes.
    var name: String
    /// The value's stand-in; nil for a switch.
    var placeholder: String?
    /// One sentence without a full stop.
    var summary: String
  }

  /// What may stand beside the options.
  enum Operands: Sendable {
    case none
    case one(String)
    case atLeastOne(String)
    case any(String)

    /// As the synopsis writes it.
    var synopsis: String {
      switch self {
      case .none: ""
      case .one(let name): " " + name
      case .atLeastOne(let name): " \(name)…"
      case .any(let name): " [\(name)…]"
      }
    }
  }

  /// One or two words: `serve`, `cache purge`.
  var name: String
  var summary: String
  var operands = Operands.none
  var options: [Option] = []
  /// What more there is to say, a paragraph an item.
  var details: [String] = []

  static let all: [CommandSpecification] = [
    .init(
      name: "serve", summary: "run the service",
      options: [
        .init(
          name: "--demo", summary: "start a sample origin on loopback beside it, to try things out without a network")
      ],
      details: [
        "SIGTERM and SIGINT drain and end it; SIGHUP reloads keys, tokens, certificates and the log level."
      ]),
    .init(
      name: "warm", summary: "put the avatars of a list of source URLs into the cache", operands: .one("FILE|-"),
      options: [fit, .init(name: "--refresh", summary: "revalidate what is fresh as well")],
      details: [
        "Reads one source URL a line, from a file or standard input. Works on the cache directory itself, beside a running "
          + "server or without one. What is fresh is skipped, so that a run that was cut short goes on where it was.",
        "Exits 1 if any failed.",
      ]),
    .init(
      name: "url", summary: "print the signed URL of an avatar", operands: .atLeastOne("SOURCE"), options: [fit],
      details: ["Several sources are the chain of one avatar, best first."]),
    .init(
      name: "inspect", summary: "show every step for one avatar", operands: .atLeastOne("SOURCE"),
      options: [fit, .init(name: "--json", summary: "print JSON")],
      details: ["Several sources are the chain of one avatar, best first. Touches no cache."]),
    .init(name: "cache stat", summary: "print the cache's counts"),
    .init(
      name: "cache verify", summary: "read every object and remove what is damaged",
      details: ["Exits 1 if anything was damaged."]),
    .init(name: "cache list", summary: "print a line for each entry"),
    .init(
      name: "cache purge", summary: "take avatars out of the cache", operands: .any("SOURCE"),
      options: [
        .init(name: "--host", placeholder: "HOST", summary: "all of a host, or of all below one: *.example.com"),
        .init(name: "--sha256", placeholder: "HEX", summary: "all that answer with the object of this hash"),
        .init(name: "--all", summary: "everything"),
        .init(name: "--soft", summary: "mark stale rather than remove"),
      ], details: ["Takes source URLs or one of --host, --sha256 and --all. Holds in every process on the directory."]),
    .init(
      name: "check", summary: "load the configuration and print what is in effect",
      options: [
        .init(name: "--defaults", summary: "print a configuration file with every key and its default instead")
      ],
      details: ["Lists every fault at once. Secrets are not printed."]),
    .init(
      name: "health", summary: "ask the running service whether it is ready",
      details: [
        "For container health checks: exits 0 if it is, 1 if not. Finds it by the configuration's controlListen."
      ]),
  ]

  static func named(_ name: String) -> CommandSpecification? { all.first { $0.name == name } }

  private static let fit = Option(
    name: "--fit", placeholder: "cover|contain",
    summary: "crop to the centre square (default), or show the whole picture")
}
