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

/// Several such runs as one: a round of what is compared, in short turns, as what a machine does beside it comes and goes within seconds.
struct CostSum {
  /// Turns of a round.
  static let turns = 4
  private var cpu = 0.0
  private var generator = 0.0
  private var seconds = 0.0
  private var requests = 0
  private(set) var faults = 0

  mutating func add(_ run: CostRun) {
    cpu += run.perRequest * Double(run.outcome.requests)
    generator += Double(run.outcome.generatorCPU) / 1e9
    seconds += Double(run.outcome.elapsed) / 1e9
    requests += run.outcome.requests
    faults += run.outcome.faults
  }

  /// Seconds of CPU a request, the server's and the generator's.
  var perRequest: Double { cpu / Double(max(requests, 1)) }
  var generatorPerRequest: Double { generator / Double(max(requests, 1)) }
  var perSecond: Double { Double(requests) / max(seconds, 1e-9) }
}

extension Stage {
  /// Asks as fast as answers come, and takes the server's CPU time for it.
  func cost(of tree: ProcessTree, _ plan: LoadPlan, _ what: String) throws(AvatarError) -> CostRun {
    let before = tree.cpu
    let outcome = try load(plan, what)
    let after = tree.cpu  // Less, where a process has ended that should not have.
    let spent = Double(after > before ? after - before : 0) / 1e9
    return CostRun(perRequest: spent / Double(max(outcome.requests, 1)), outcome: outcome)
  }

  /// A closed-loop plan on 32 kept connections, for a round or one of `turns` of it.
  func saturating(
    _ target: Endpoint, _ book: RequestBook, order: LoadPlan.Order = .inTurn, turns: Int = 1, expected: Set<Int> = [200]
  ) -> LoadPlan {
    LoadPlan(
      target: target, book: book, arrivals: .closed, connections: 32,
      duration: .milliseconds(max(round.milliseconds / Int64(turns), 100)), order: order, expected: expected)
  }
}
