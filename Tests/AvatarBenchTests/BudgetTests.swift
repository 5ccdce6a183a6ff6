import AvatarCore
import Testing

@testable import AvatarBench

/// Budget files, and what a run's exit status makes of them.
struct BudgetTests {
  private func result(_ text: String, _ figures: [Figure]) throws -> ScenarioResult {
    var result = ScenarioResult(name: "hit", story: "")
    result.figures = figures
    try BudgetFile(json5: Array(text.utf8)).apply(to: &result)
    return result
  }

  @Test(arguments: [
    ("5ms", 0.005), ("250us", 0.00025), ("2s", 2), ("80MiB", 83_886_080), ("-3ms", -0.003),
  ])
  func `an amount with its unit`(_ text: String, _ number: Double) throws {
    let found = try result("{ hit: { x: { most: \"\(text)\" } } }", [Figure("x", 0, .seconds)])
    #expect(found.figures[0].budget == Budget(most: number))
  }

  @Test func `plain numbers, both bounds and the gate`() throws {
    let text = "{ hit: { x: { least: 0.5, most: 1.08, gate: 'always' } } } // by hand"
    let found = try result(text, [Figure("x", 1, .ratio), Figure("y", 9, .ratio)])
    #expect(found.figures[0].budget == Budget(most: 1.08, least: 0.5, gate: .always))
    #expect(found.figures[1].budget == nil)
    #expect(found.broken(onlyAlways: false).isEmpty)
  }

  @Test func `a budget is kept on its bounds and broken beyond them`() {
    let budget = Budget(most: 2, least: 1)
    #expect([1, 1.5, 2].allSatisfy { budget.isMet(by: $0) })
    #expect(![0.99, 2.01, .nan].contains { budget.isMet(by: $0) })
  }

  @Test func `a budget without its figure is broken`() throws {
    let found = try result("{ hit: { gone: { most: 1 } } }", [])
    #expect(found.broken(onlyAlways: false).map(\.name) == ["gone"])
    #expect(found.broken(onlyAlways: true).isEmpty)
  }

  @Test(arguments: [
    ("{ nothing: {} }", "no scenario nothing"), ("{ hit: { x: {} } }", "neither most nor least"),
    ("{ hit: { x: { most: '5 parsecs' } } }", "5 parsecs"), ("{ hit: ", "budgets"),
    ("{ hit: { x: { most: 1, gate: 'never' } } }", "budgets"),
  ])
  func `a wrong file says what is wrong`(_ text: String, _ reason: String) {
    let error = #expect(throws: AvatarError.self) { try BudgetFile(json5: Array(text.utf8)) }
    #expect(error?.detail.contains(reason) == true, "\(error?.detail ?? "")")
  }

  private func status(
    countsOnly: Bool = false, broken gate: Budget.Gate? = nil, problem: Bool = false, failure: Bool = false
  ) -> Int32 {
    var scenario = ScenarioResult(name: "hit", story: "")
    var figure = Figure("x", 2, .count)
    figure.budget = gate.map { Budget(most: 1, gate: $0) }
    scenario.figures = [figure]
    if problem { scenario.problems = ["busy"] }
    if failure { scenario.failure = "no server" }
    var whole = BenchResult(server: "", seconds: 1, countsOnly: countsOnly)
    whole.scenarios = [ScenarioResult(name: "miss", story: ""), scenario]
    return whole.exitStatus
  }

  @Test func `the exit status`() {
    #expect(status() == 0)
    #expect(status(broken: .machine) == 1)
    #expect(status(countsOnly: true, broken: .machine) == 0)
    #expect(status(countsOnly: true, broken: .always) == 1)
    // Latencies of a busy machine say nothing; counts do.
    #expect(status(broken: .machine, problem: true) == 3)
    #expect(status(broken: .always, problem: true) == 1)
    #expect(status(countsOnly: true, problem: true) == 0)
    #expect(status(countsOnly: true, failure: true) == 3)
  }
}
