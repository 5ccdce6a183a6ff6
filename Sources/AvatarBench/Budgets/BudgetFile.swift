public import AvatarCore
import FoundationEssentials

/// `benchmarks/budgets.json5`: scenario → figure → what it may be.
///
/// A budget is `{ most: "5ms" }`, `{ most: 1.08 }` or `{ least: 0.99 }`, with durations, sizes and plain numbers by the figure's unit, and
/// `gate: "always"` where it holds on any machine.
public struct BudgetFile: Sendable {
  private let budgets: [String: [String: Raw]]

  private struct Raw: Decodable, Sendable {
    var most: Amount?
    var least: Amount?
    var gate: Budget.Gate?
  }

  private enum Amount: Decodable, Sendable {
    case number(Double)
    case text(String)

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let number = try? container.decode(Double.self) {
        self = .number(number)
      } else {
        self = .text(try container.decode(String.self))
      }
    }
  }

  /// Reads the text of a budget file; throws `invalid_request` with what is wrong with it.
  public init(json5 text: [UInt8]) throws(AvatarError) {
    let decoder = JSONDecoder()
    decoder.allowsJSON5 = true
    do {
      budgets = try decoder.decode([String: [String: Raw]].self, from: Data(text))
    } catch {
      throw AvatarError(.invalidRequest, "budgets: \(error)")
    }
    let names = Set(Scenarios.all.map(\.name))
    for scenario in budgets.keys.sorted() where !names.contains(scenario) {
      throw AvatarError(.invalidRequest, "budgets: there is no scenario \(scenario)")
    }
    for (scenario, figures) in budgets {
      for (name, raw) in figures {
        guard raw.most != nil || raw.least != nil else {
          throw AvatarError(.invalidRequest, "budgets: \(scenario), \(name): neither most nor least")
        }
        for amount in [raw.most, raw.least] { _ = try Self.number(amount, "\(scenario), \(name)") }
      }
    }
  }

  /// Gives a result's figures their budgets. A budget whose figure was not found is a broken one: it becomes a figure that is no number.
  func apply(to result: inout ScenarioResult) {
    for (name, raw) in (budgets[result.name] ?? [:]).sorted(by: { $0.key < $1.key }) {
      let budget = Budget(
        most: try? Self.number(raw.most, name), least: try? Self.number(raw.least, name), gate: raw.gate ?? .machine)
      if let place = result.figures.firstIndex(where: { $0.name == name }) {
        result.figures[place].budget = budget
      } else if result.failure == nil {
        var missing = Figure(name, .nan, .count)
        missing.budget = budget
        result.figures.append(missing)
      }
    }
  }

  private static func number(_ amount: Amount?, _ place: String) throws(AvatarError) -> Double? {
    switch amount {
    case nil: return nil
    case .number(let number): return number
    case .text(let text):
      let positive = text.hasPrefix("-") ? String(text.dropFirst()) : text
      let sign = text.hasPrefix("-") ? -1.0 : 1
      if positive.hasSuffix("us"), let number = Double(positive.dropLast(2)) { return sign * number / 1e6 }
      if let duration = DurationText.parse(positive) { return sign * duration.seconds }
      if let bytes = ByteCountText.parse(positive) { return sign * Double(bytes) }
      throw AvatarError(.invalidRequest, "budgets: \(place): \(text) is no duration, size or number")
    }
  }
}
