/// A result as a table of text.
public enum TableReport {
  /// A scenario's figures, one a line: name, value, spread, budget, and `BROKEN` where it is not kept.
  public static func text(_ result: ScenarioResult, paint: Paint = .none) -> String {
    var text = "\(result.name): \(result.story) (\(Text.seconds(result.seconds)))\n"
    if let failure = result.failure { text += "  \(paint.bad("FAILED"))  \(failure)\n" }
    for problem in result.problems { text += "  \(paint.odd("NOT VALID"))  \(problem)\n" }
    let width = result.figures.map(\.name.count).max() ?? 0
    for figure in result.figures {
      let name = figure.name + String(repeating: " ", count: width - figure.name.count)
      let value = Text.value(figure.value, figure.unit)
      let spread = figure.spread.map { " ± \(Text.percent($0))" } ?? ""
      text += "  \(name)  \(value)\(spread)"
      if let budget = figure.budget {
        text += String(repeating: " ", count: max(2, 20 - value.count - spread.count))
        text += figure.isMet ? paint.good("ok      ") : paint.bad("BROKEN  ")
        text += self.budget(budget, figure.unit)
      }
      text += "\n"
    }
    return text
  }

  /// How a whole run ended, in a few lines.
  public static func summary(_ result: BenchResult, paint: Paint = .none) -> String {
    var text = ""
    for scenario in result.scenarios {
      for figure in scenario.broken(onlyAlways: result.countsOnly) {
        text += "\(paint.bad("BROKEN"))  \(scenario.name): \(figure.name) is \(Text.value(figure.value, figure.unit))"
        text += figure.budget.map { ", budget \(budget($0, figure.unit))\n" } ?? "\n"
      }
      if let failure = scenario.failure { text += "\(paint.bad("FAILED"))  \(scenario.name): \(failure)\n" }
      guard !result.countsOnly else { continue }
      for problem in scenario.problems { text += "\(paint.odd("NOT VALID"))  \(scenario.name): \(problem)\n" }
    }
    let budgets = result.scenarios.flatMap(\.figures).filter { $0.budget != nil }
    let deciding = result.countsOnly ? budgets.filter { $0.budget?.gate == .always } : budgets
    return text
      + "\(result.scenarios.count) scenarios, \(deciding.count(where: \.isMet)) of \(deciding.count) budgets met\n"
  }

  /// `≥ 0.9 ≤ 1.1`, as far as there are bounds.
  static func budget(_ budget: Budget, _ unit: Figure.Unit) -> String {
    [budget.least.map { "≥ \(Text.value($0, unit))" }, budget.most.map { "≤ \(Text.value($0, unit))" }]
      .compactMap { $0 }.joined(separator: " ")
  }
}
