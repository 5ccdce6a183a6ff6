/// One scenario's part of the page.
struct ScenarioSection {
  private let result: ScenarioResult
  private let countsOnly: Bool

  /// Of a scenario in a run where only some budgets decide, or all.
  init(_ result: ScenarioResult, countsOnly: Bool) { (self.result, self.countsOnly) = (result, countsOnly) }

  /// How it ended.
  var state: String {
    if result.failure != nil { return Self.mark("bad", "✕ failed") }
    if !result.broken(onlyAlways: countsOnly).isEmpty { return Self.mark("bad", "✕ budget broken") }
    if !result.problems.isEmpty { return Self.mark("odd", "! not valid") }
    return Self.mark("good", "✓ met")
  }

  /// The section.
  var markup: String {
    let name = Markup.text(result.name)
    var markup = "<section id=\"\(name)\" aria-labelledby=\"\(name)-head\">"
    markup += "<h2 id=\"\(name)-head\">\(name) \(state)</h2>\n"
    markup += "<p>\(Markup.text(result.story)). It took \(Text.seconds(result.seconds)).</p>\n"
    if let failure = result.failure { markup += "<p class=\"note bad\">Failed: \(Markup.text(failure))</p>\n" }
    for problem in result.problems { markup += "<p class=\"note odd\">Not valid: \(Markup.text(problem))</p>\n" }
    if !result.figures.isEmpty {
      markup += Markup.table(
        "Figures and budgets of \(result.name)", ["Figure", "Found", "Verdict", "Budget", "± of its rounds"],
        result.figures.map(row))
    }
    let charts = ScenarioCharts(result).all
    guard !charts.isEmpty else { return markup + "</section>\n" }
    return markup + "<div class=\"charts\">\n" + charts.map(\.markup).joined() + "</div></section>\n"
  }

  private func row(_ figure: Figure) -> [String] {
    let rounds = figure.rounds.map { Text.value($0, figure.unit) }.joined(separator: ", ")
    let spread = figure.spread.map { "<span title=\"\(Markup.text(rounds))\">\(Text.percent($0))</span>" } ?? ""
    let named = [Markup.text(figure.name), Markup.text(Text.value(figure.value, figure.unit))]
    guard let budget = figure.budget else { return named + ["", "", spread] }
    let gate = budget.gate == .always ? "on any machine" : "on this machine"
    let verdict = figure.isMet ? Self.mark("good", "✓ ok") : Self.mark("bad", "✕ BROKEN")
    return named + [verdict, "\(Markup.text(TableReport.budget(budget, figure.unit))) <small>\(gate)</small>", spread]
  }

  private static func mark(_ kind: String, _ text: String) -> String { "<span class=\"mark \(kind)\">\(text)</span>" }
}
