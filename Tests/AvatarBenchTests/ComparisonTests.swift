import Testing

@testable import AvatarBench

struct ComparisonTests {
  private func run(_ figures: Figure..., scenario: String = "hit") -> BenchResult {
    var result = BenchResult(server: "/nowhere/avatar-server", seconds: 6, countsOnly: false)
    var one = ScenarioResult(name: scenario, story: "a story")
    one.figures = figures
    result.scenarios = [one]
    return result
  }

  private func figure(_ value: Double, _ unit: Figure.Unit, most: Double? = nil) -> Figure {
    var figure = Figure("figure", value, unit)
    figure.budget = most.map { Budget(most: $0) }
    return figure
  }

  private func isChanged(_ old: Figure, _ new: Figure) -> Bool { ChangeRule(old: old, new: new).isChanged }

  private func isChanged(_ old: [Double], _ new: [Double]) -> Bool {
    isChanged(Figure("figure", rounds: old, .seconds), Figure("figure", rounds: new, .seconds))
  }

  @Test func `rounds that overlap are no change, however far apart their medians are`() {
    #expect(!isChanged([1, 1, 2], [2, 3, 3]))
  }

  @Test func `rounds apart by less than they range are no change`() {
    #expect(!isChanged([1.0, 1.2, 1.4], [1.41, 1.5, 1.8]))
    #expect(isChanged([1.0, 1.02, 1.04], [1.41, 1.5, 1.52]))
  }

  @Test func `rounds that agree to the last digit still need three percent`() {
    #expect(!isChanged([1, 1, 1], [1.029, 1.029, 1.029]))
    #expect(isChanged([1, 1, 1], [1.04, 1.04, 1.04]))
  }

  @Test func `a single value needs a quarter, bytes and ratios a tenth`() {
    #expect(!isChanged(figure(1, .seconds), figure(1.3, .seconds)))
    #expect(isChanged(figure(1, .seconds), figure(1.4, .seconds)))
    #expect(isChanged(figure(100e6, .bytes), figure(115e6, .bytes)))
    #expect(!isChanged(figure(1, .ratio), figure(1.1, .ratio)))
  }

  @Test func `a count under a budget is exact, one without says how much happened`() {
    #expect(isChanged(figure(1000, .count, most: 2000), figure(1001, .count, most: 2000)))
    #expect(!isChanged(figure(1000, .count), figure(1001, .count)))
  }

  @Test func `about zero a fixed distance decides`() {
    #expect(!isChanged(figure(-0.001, .seconds), figure(0.001, .seconds)))
    #expect(isChanged(figure(-0.001, .seconds), figure(0.020, .seconds)))
  }

  @Test func `what is no number changes only into something else`() {
    #expect(!isChanged(figure(.nan, .ratio), figure(.nan, .ratio)))
    #expect(isChanged(figure(1, .ratio), figure(.nan, .ratio)))
    #expect(isChanged(figure(1, .ratio), figure(.infinity, .ratio)))
  }

  @Test func `a run has not changed against itself`() {
    let result = run(figure(1, .seconds, most: 2), Figure("rounds", rounds: [1, 2, 3], .ratio))
    let comparison = Comparison(old: result, new: result)
    #expect(comparison.changes.isEmpty)
    #expect(comparison.text == "2 figures compared, 0 changed by more than their spread\n")
  }

  @Test func `budgets that broke come first, then those that were mended, also within the spread`() {
    func named(_ name: String, _ value: Double, most: Double) -> Figure {
      var figure = Figure(name, value, .seconds)
      figure.budget = Budget(most: most)
      return figure
    }
    let old = run(named("slower", 1, most: 9), named("mended", 1.1, most: 1), named("broke", 0.9, most: 1))
    let new = run(named("slower", 3, most: 9), named("mended", 0.9, most: 1), named("broke", 1.1, most: 1))
    let comparison = Comparison(old: old, new: new)
    #expect(comparison.changes.map(\.name) == ["hit: broke", "hit: mended", "hit: slower"])
    #expect(comparison.changes.map(\.verdict) == [.broken, .mended, .same])
    #expect(comparison.changes.map(\.isBeyondSpread) == [false, false, true])
    #expect(comparison.text.hasPrefix("BROKEN  hit: broke: 900 ms → 1.10 s"))
  }

  @Test func `figures of one run alone are named and not compared`() {
    let comparison = Comparison(old: run(Figure("gone", 1, .count)), new: run(Figure("come", 1, .count)))
    #expect(comparison.compared == 0)
    #expect(comparison.onlyOld == ["hit: gone"])
    #expect(comparison.onlyNew == ["hit: come"])
  }

  @Test func `scenarios of one run alone are one line, not one for each figure`() {
    let comparison = Comparison(
      old: run(Figure("one", 1, .count), scenario: "soak"), new: run(Figure("one", 1, .count)))
    #expect(comparison.remarks == ["Only the old run has soak.", "Only the new run has hit."])
    #expect(comparison.onlyOld.isEmpty && comparison.onlyNew.isEmpty)
  }

  @Test func `what makes a comparison doubtful is said`() {
    let new = run(figure(1, .seconds))
    var old = new
    old.machine.cores += 1
    old.seconds = 1
    (old.rounds, old.scale, old.seed) = (1, 0.5, 7)
    old.scenarios[0].problems = ["the generator slept"]
    #expect(
      Comparison(old: old, new: new).remarks == [
        "The runs are of different machines.", "The runs' measurements are of different lengths.",
        "The runs have different numbers of rounds.", "The runs' large caches are of different sizes.",
        "The runs' pictures are different ones.", "hit: the old run is not valid: the generator slept",
      ])
  }
}
