import AvatarCore

/// One story of load with its numbers.
protocol Scenario: Sendable {
  /// Its name on the command line and in the budget file.
  var name: String { get }
  /// What it is about, in a sentence.
  var story: String { get }
  /// Plays it; what it found goes into `result`. Throws where it cannot be played.
  func play(on stage: Stage, into result: inout ScenarioResult) throws(AvatarError)
}

/// All scenarios in their order.
enum Scenarios {
  static let all: [any Scenario] = [
    HitScenario(), ObjectScenario(), RevalidateScenario(), MissScenario(), PrefetchScenario(), PrefetchStormScenario(),
    StormScenario(),
    MixedScenario(), SlowOriginScenario(), DeadOriginScenario(), HostileScenario(), RestartScenario(), SoakScenario(),
    NormalizerScenario(),
  ]
}

/// CPU time per request of a closed-loop run, all processes of a server together.
struct CostRun {
  /// Seconds of CPU a request.
  let perRequest: Double
  let outcome: LoadOutcome
}

extension Stage {
  /// Asks as fast as answers come, and takes the server's CPU time for it.
  func cost(of tree: ProcessTree, _ plan: LoadPlan, _ what: String) throws(AvatarError) -> CostRun {
    let before = tree.cpu
    let outcome = try load(plan, what)
    let spent = Double(tree.cpu - before) / 1e9
    return CostRun(perRequest: spent / Double(max(outcome.requests, 1)), outcome: outcome)
  }

  /// A closed-loop plan on 32 kept connections.
  func saturating(
    _ target: Endpoint, _ book: RequestBook, expected: Set<Int> = [200], order: LoadPlan.Order = .inTurn
  ) -> LoadPlan {
    LoadPlan(
      target: target, book: book, arrivals: .closed, connections: 32, duration: round, order: order, expected: expected)
  }
}
