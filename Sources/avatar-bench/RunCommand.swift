import AvatarBench
import AvatarCore
import Glibc

/// `run`: plays scenarios and holds them to the budgets.
struct RunCommand {
  private let scenarios: [String]
  private let options: BenchOptions
  private let budgets: String
  private let json: String?
  private let html: String?
  private let old: String?
  private let countsOnly: Bool

  init(_ arguments: [String]) throws(BenchUsage) {
    let read = try OptionReading(
      arguments,
      values: ["server", "seconds", "rounds", "seed", "scale", "budgets", "nginx", "json", "html", "compare"],
      flags: ["counts-only"])
    let known = BenchRunner.scenarios.map(\.name)
    if let unknown = read.operands.first(where: { !known.contains($0) }) {
      throw BenchUsage(message: "there is no scenario \(unknown); there are \(known.joined(separator: ", "))")
    }
    scenarios = read.operands
    options = BenchOptions(
      server: read["server"] ?? Program.beside("avatar-server"), nginx: read["nginx"] ?? "benchmarks/nginx",
      seconds: try read.decimal("seconds", 0.5...3600, or: 6),
      rounds: Int(try read.number("rounds", 1...100, or: 3)), seed: try read.number("seed", 0...UInt64.max, or: 1),
      scale: try read.decimal("scale", 0.001...10, or: 1))
    budgets = read["budgets"] ?? "benchmarks/budgets.json5"
    (json, html, old) = (read["json"], read["html"], read["compare"])
    countsOnly = read.has("counts-only")
  }

  func run() -> Int32 {
    guard access(options.server, X_OK) == 0 else {
      Terminal.error("avatar-bench: there is no program \(options.server); build it, or name one with --server\n")
      return 2
    }
    do {
      guard let text = Files.bytes(budgets) else {
        Terminal.error("avatar-bench: \(budgets) cannot be read; name the budget file with --budgets\n")
        return 2
      }
      // What is wrong with files is said before minutes of measuring.
      let limits = try BudgetFile(json5: text)
      let before = try old.map { try CompareCommand.read($0) }
      let result = BenchRunner(options: options, budgets: limits, progress: LiveProgress())
        .run(scenarios, countsOnly: countsOnly)
      Terminal.out(TableReport.summary(result, paint: Terminal.paint))
      if let before { Terminal.out(Comparison(old: before, new: result).text) }
      var status = result.exitStatus
      if let json, !Files.write(try result.json(), to: json) { status = Self.unwritten(json) }
      if let html, !Files.write(try HTMLReport.text(result), to: html) { status = Self.unwritten(html) }
      return status
    } catch let error as AvatarError {
      Terminal.error("avatar-bench: \(error.detail)\n")
      return 2
    } catch {
      Terminal.error("avatar-bench: \(error)\n")
      return 2
    }
  }

  private static func unwritten(_ path: String) -> Int32 {
    Terminal.error("avatar-bench: \(path) cannot be written\n")
    return 3
  }
}
