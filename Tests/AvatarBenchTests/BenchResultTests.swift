import AvatarCore
import Testing

@testable import AvatarBench

struct BenchResultTests {
  private func result(_ figures: Figure..., countsOnly: Bool = false) -> BenchResult {
    var result = BenchResult(server: "/nowhere/avatar-server", seconds: 6, countsOnly: countsOnly)
    var scenario = ScenarioResult(name: "hit", story: "a story")
    scenario.figures = figures
    result.scenarios = [scenario]
    return result
  }

  private func broken(_ gate: Budget.Gate) -> Figure {
    var figure = Figure("figure", 2, .count)
    figure.budget = Budget(most: 1, gate: gate)
    return figure
  }

  @Test func `it reads what it wrote, numbers that are none included`() throws {
    let written = result(Figure("ratio", .nan, .ratio), Figure("rounds", rounds: [1, .infinity, 3], .seconds))
    let read = try BenchResult(json: try written.json())
    #expect(read.scenarios[0].figures[0].value.isNaN)
    #expect(read.scenarios[0].figures[1] == written.scenarios[0].figures[1])
    #expect(read.version == Product.version)
    #expect(read.machine == written.machine)
  }

  @Test(arguments: [
    ("", "is no result of avatar-bench"), ("[]", "is no result of avatar-bench"),
    (#"{"format": 1}"#, "is a result of format 1; format 2 is read here"),
    (#"{"format": 2}"#, "is a damaged result of avatar-bench"),
  ])
  func `what is no result of this form is refused by name`(_ document: String, _ detail: String) {
    let error = #expect(throws: AvatarError.self) { try BenchResult(json: Array(document.utf8)) }
    #expect(error?.detail == detail)
  }

  @Test func `outside of a working tree there is no commit`() {
    #expect(WorkingTree.commit(around: "/nowhere/avatar-server") == "")
    #expect(WorkingTree.commit(around: "/avatar-server") == "")
  }

  @Test func `a broken count decides, an invalid run makes the rest worthless`() {
    var noisy = result(broken(.machine))
    #expect(noisy.exitStatus == 1)
    noisy.scenarios[0].problems = ["noise"]
    #expect(noisy.exitStatus == 3)
    noisy.scenarios[0].figures = [broken(.always)]
    #expect(noisy.exitStatus == 1)
    #expect(result(broken(.machine), countsOnly: true).exitStatus == 0)
    #expect(result(broken(.always), countsOnly: true).exitStatus == 1)
  }
}
