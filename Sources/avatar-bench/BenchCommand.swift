import AvatarBench
import AvatarCore
import BenchPictures

/// What is wrong with a command line, in one line.
struct BenchUsage: Error {
  let message: String
}

/// A command of `avatar-bench`.
enum BenchCommand {
  case help
  case version
  case list
  case run(RunCommand)
  case load(LoadCommand)
  case compare(old: String, new: String)
  case origin(OriginCommand)
  case fill(FillCommand)

  /// Reads a command line without the program's name.
  init(_ arguments: [String]) throws(BenchUsage) {
    if arguments.contains("--help") || arguments.contains("-h") || arguments.first == "help" {
      self = .help
      return
    }
    if arguments.contains("--version") {
      self = .version
      return
    }
    let commands = ["run", "load", "list", "compare", "origin", "fill"]
    // Scenarios may be named without `run` before them.
    let name = arguments.first.flatMap { commands.contains($0) ? $0 : nil } ?? "run"
    let rest = arguments.first == name ? Array(arguments.dropFirst()) : arguments
    switch name {
    case "load": self = .load(try LoadCommand(rest))
    case "list":
      _ = try OptionReading(rest, values: [], flags: [])
      self = .list
    case "compare":
      let options = try OptionReading(rest, values: [], flags: [])
      guard options.operands.count == 2 else { throw BenchUsage(message: "compare takes two result files") }
      self = .compare(old: options.operands[0], new: options.operands[1])
    case "origin": self = .origin(try Self.origin(rest))
    case "fill": self = .fill(try FillCommand(rest))
    default: self = .run(try RunCommand(rest))
    }
  }

  /// Runs it; the exit status.
  func run() -> Int32 {
    switch self {
    case .help:
      Terminal.out(BenchHelp.text)
      return 0
    case .version:
      Terminal.out("avatar-bench \(Product.version)\n")
      return 0
    case .list:
      for scenario in BenchRunner.scenarios { Terminal.out("\(scenario.name)\t\(scenario.story)\n") }
      return 0
    case .run(let command): return command.run()
    case .load(let command): return command.run()
    case .compare(let old, let new): return CompareCommand(old: old, new: new).run()
    case .origin(let command): return command.run()
    case .fill(let command): return command.run()
    }
  }

  private static func origin(_ arguments: [String]) throws(BenchUsage) -> OriginCommand {
    let options = try OptionReading(arguments, values: ["kinds", "seed", "port", "variations"], flags: [])
    guard options.operands.isEmpty else { throw BenchUsage(message: "origin takes no operand") }
    var kinds: [PictureKind] = []
    for name in (options["kinds"] ?? "").split(separator: ",") {
      guard let kind = PictureKind(rawValue: String(name)) else {
        let known = PictureKind.allCases.map(\.rawValue).joined(separator: ", ")
        throw BenchUsage(message: "there is no picture kind \(name); there are \(known)")
      }
      kinds.append(kind)
    }
    return OriginCommand(
      kinds: kinds.isEmpty ? PictureKind.allCases : kinds, seed: try options.number("seed", 0...UInt64.max, or: 1),
      port: UInt16(try options.number("port", 0...65_535, or: 0)),
      variations: Int(try options.number("variations", 1...100_000, or: 8)))
  }
}
