import AvatarCore

/// Plays scenarios one after the other and holds what they find to the budgets.
public struct BenchRunner: Sendable {
  private let options: BenchOptions
  private let budgets: BudgetFile
  private let progress: any BenchProgress

  /// A runner.
  public init(options: BenchOptions, budgets: BudgetFile, progress: any BenchProgress) {
    (self.options, self.budgets, self.progress) = (options, budgets, progress)
  }

  /// The names of all scenarios with what each is about, in their order.
  public static var scenarios: [(name: String, story: String)] { Scenarios.all.map { ($0.name, $0.story) } }

  /// Plays the scenarios of these names, all where there is none; never throws: a scenario that cannot be played says so in its result.
  public func run(_ names: [String], countsOnly: Bool) -> BenchResult {
    var whole = BenchResult(
      server: options.server, seconds: options.seconds, rounds: options.rounds, scale: options.scale,
      seed: options.seed,
      countsOnly: countsOnly)
    for scenario in Scenarios.all where names.isEmpty || names.contains(scenario.name) {
      let result = play(scenario)
      progress.ended(result)
      whole.scenarios.append(result)
    }
    return whole
  }

  /// Kills what runs still and removes its files; for the thread that waits for signals.
  public static func killAll() {
    ChildProcess.killAll()
    Files.removeTemporaryDirectories()
  }

  private func play(_ scenario: any Scenario) -> ScenarioResult {
    var result = ScenarioResult(name: scenario.name, story: scenario.story)
    let begun = Nanoseconds.now
    do throws(AvatarError) {
      let stage = try Stage(options: options, scenario: scenario.name, progress: progress)
      let quiet = QuietCheck()
      do throws(AvatarError) {
        try scenario.play(on: stage, into: &result)
      } catch {
        result.failure = error.detail
      }
      // While what the stage started still counts as ours.
      if let problem = quiet.problem { stage.doubt(problem) }
      stage.finish()
      result.problems = stage.problems
      result.usage = stage.usage
    } catch {
      result.failure = error.detail
    }
    result.seconds = Double(Nanoseconds.now - begun) / 1e9
    budgets.apply(to: &result)
    return result
  }
}

/// Whether the machine did anything else meanwhile.
private struct QuietCheck {
  private let begun = Nanoseconds.now
  private let machine = MachineLoad.now
  private let ours = ProcessTree.ours.cpu

  /// What makes numbers worthless; nil where the machine was ours.
  var problem: String? {
    let elapsed = Double(Nanoseconds.now - begun) * Double(Machine.here.cores)
    let now = MachineLoad.now
    let spent = ProcessTree.ours.cpu
    let stolen = Double(now.stolen &- machine.stolen)
    let busy = elapsed - Double(now.idle &- machine.idle) - stolen
    let others = busy - Double(spent > ours ? spent - ours : 0)
    let lost = (max(others, 0) + stolen) / max(elapsed, 1)
    return lost > 0.15 ? "the machine did something else \(Text.percent(lost)) of the time" : nil
  }
}
