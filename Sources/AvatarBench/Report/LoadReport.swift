import FoundationEssentials

/// What `load` says of a run.
public struct LoadReport: Sendable {
  private let plan: LoadPlan
  private let outcome: LoadOutcome

  /// Of a plan and what came of it.
  public init(plan: LoadPlan, outcome: LoadOutcome) { (self.plan, self.outcome) = (plan, outcome) }

  private static let shares = [0.5, 0.75, 0.9, 0.99, 0.999, 0.9999]

  /// Why the numbers mean nothing; nil where they do.
  public var problem: String? {
    if outcome.answers == 0 { return "no right answer came" }
    let share = outcome.generatorShare(threads: plan.threads)
    let late = Double(outcome.lag.value(at: 0.99)) / 1e9
    if case .open = plan.arrivals, outcome.lag.count > 100,
      late > max(0.002, Double(outcome.latency.value(at: 0.99)) / 4e9)
    {
      return "the generator was late itself: 1 % of its requests by \(Text.seconds(late)) and more"
    }
    return share > 0.97
      ? "the generator was the bottleneck: its threads were busy \(Text.percent(share)) of the time" : nil
  }

  /// 3 where the numbers mean nothing, 1 where requests failed or were answered wrongly, else 0.
  public var exitStatus: Int32 { problem != nil ? 3 : outcome.faults > 0 ? 1 : 0 }

  /// As text.
  public var text: String {
    var text = "\(outcome.answers) answers, \(Text.digits(outcome.perSecond)) a second, \(outcome.faults) faults\n"
    for share in Self.shares {
      text += "  \(Self.name(share))  \(Text.seconds(Double(outcome.latency.value(at: share)) / 1e9))\n"
    }
    text += "  max     \(Text.seconds(Double(outcome.latency.maximum) / 1e9))\n"
    for (status, count) in outcome.statuses.sorted(by: { $0.key < $1.key }) { text += "  status \(status)  \(count)\n" }
    for (failure, count) in outcome.failures.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      text += "  \(failure.rawValue)  \(count)\n"
    }
    let each = Double(outcome.generatorCPU) / 1e9 / Double(max(outcome.requests, 1))
    text += "  generator  \(Text.seconds(each)) of CPU a request\n"
    return problem.map { text + "NOT VALID  \($0)\n" } ?? text
  }

  private static func name(_ share: Double) -> String {
    let text = "p\(Text.digits(share * 100))"
    let exact =
      share == 0.9999 ? "p99.99" : share == 0.999 ? "p99.9" : text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    return exact + String(repeating: " ", count: max(0, 6 - exact.count))
  }

  /// As a JSON document: counts, and latencies in seconds by percentile.
  public func json() throws -> [UInt8] {
    let document = Document(
      answers: outcome.answers, faults: outcome.faults, perSecond: outcome.perSecond,
      latency: Dictionary(
        uniqueKeysWithValues: (Self.shares + [1]).map { share in
          ("\(share)", Double(share == 1 ? outcome.latency.maximum : outcome.latency.value(at: share)) / 1e9)
        }),
      statuses: Dictionary(uniqueKeysWithValues: outcome.statuses.map { ("\($0)", $1) }),
      failures: Dictionary(uniqueKeysWithValues: outcome.failures.map { ($0.rawValue, $1) }), hits: outcome.hits,
      bytes: outcome.bytes, seconds: Double(outcome.elapsed) / 1e9,
      generatorCPU: Double(outcome.generatorCPU) / 1e9, problem: problem)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
    return Array(try encoder.encode(document)) + [10]
  }

  private struct Document: Encodable {
    var answers: Int
    var faults: Int
    var perSecond: Double
    var latency: [String: Double]
    var statuses: [String: Int]
    var failures: [String: Int]
    var hits: Int
    var bytes: Int
    var seconds: Double
    var generatorCPU: Double
    var problem: String?
  }
}
