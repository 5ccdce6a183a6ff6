import AvatarCore
import Synchronization

/// What a scenario plays on: it starts servers and origins, sends load, and notes what makes the numbers worthless.
public final class Stage {
  /// What the run was told.
  let options: BenchOptions
  /// A directory for this scenario alone.
  let directory: String
  private let progress: any BenchProgress
  private let scenario: String
  private(set) var problems: [String] = []
  private var sampler: UsageSampler?
  private(set) var usage: [ScenarioResult.UsageSample] = []
  private var servers: [ServerUnderTest] = []
  private var peer: ImageFilterPeer?

  init(options: BenchOptions, scenario: String, progress: any BenchProgress) throws(AvatarError) {
    self.options = options
    self.scenario = scenario
    self.progress = progress
    directory = try Files.temporaryDirectory()
  }

  deinit { Files.removeTree(directory) }

  /// The length of one measurement.
  var span: Duration { .milliseconds(Int64(options.seconds * 1000)) }

  /// The length of one of several rounds: as long in all as one measurement, and not shorter than it takes to see something.
  var round: Duration { .milliseconds(max(Int64(options.seconds * 1000) / 2, 300)) }

  /// Says what is being done.
  func step(_ text: String) { progress.step(scenario, text) }

  /// Notes why the numbers mean nothing.
  func doubt(_ problem: String) { if !problems.contains(problem) { problems.append(problem) } }

  /// Starts a server with these flags; the first one's processes are watched to the scenario's end.
  func server(_ settings: [String: String] = [:], directory own: String? = nil) throws(AvatarError) -> ServerUnderTest {
    let place = own ?? "\(directory)/server-\(servers.count + 1)"
    Files.makeDirectory(place)
    step("starting the server")
    let server = try ServerUnderTest(program: options.server, directory: place, settings: settings)
    // To the scenario's end: what a killed server's workers have used is nobody's in the kernel's accounts, and would count as others' work.
    servers.append(server)
    if sampler == nil { sampler = try UsageSampler(server.tree) }
    return server
  }

  /// Starts an origin with so many pictures of each of these kinds.
  func origin(_ kinds: String..., variations: Int = 8) throws(AvatarError) -> OriginProcess {
    step("starting the origin")
    return try OriginProcess(kinds: kinds, seed: options.seed, variations: variations, directory: directory)
  }

  /// Starts nginx with `image_filter`, to the scenario's end; says why where there is none, as its figures will be missing.
  func imageFilter() -> ImageFilterPeer? {
    step("starting nginx with image_filter")
    let place = "\(directory)/image-filter"
    Files.makeDirectory(place)
    do throws(AvatarError) {
      if let missing = ImageFilterPeer.missing(options.nginx) { throw AvatarError(.internalFault, missing) }
      peer = try ImageFilterPeer(configuration: options.nginx, directory: place)
    } catch {
      step("image_filter is not measured: \(error.detail)")
    }
    return peer
  }

  /// Sends load to its end and looks at whether the generator kept up.
  func load(_ plan: LoadPlan, _ what: String) throws(AvatarError) -> LoadOutcome {
    try begin(plan, what).outcome()
  }

  /// Starts sending load; `outcome()` waits for the end.
  func begin(_ plan: LoadPlan, _ what: String) throws(AvatarError) -> RunningLoad {
    step(what)
    return RunningLoad(stage: self, run: try LoadRun(plan), plan: plan, what: what)
  }

  /// Notes it where the generator was what was slow.
  func judge(_ outcome: LoadOutcome, _ plan: LoadPlan, _ what: String) {
    let share = outcome.generatorShare(threads: plan.threads)
    let late = Double(outcome.lag.value(at: 0.99)) / 1e9
    if case .open = plan.arrivals, outcome.lag.count > 100,
      late > max(0.002, Double(outcome.latency.value(at: 0.99)) / 4e9)
    {
      doubt("\(what): the generator was late itself: 1 % of its requests by \(Text.seconds(late)) and more")
    } else if share > 0.97 {
      doubt("\(what): the generator was the bottleneck: its threads were busy \(Text.percent(share)) of the time")
    }
  }

  /// Ends the watching.
  func finish() {
    usage = sampler?.stop() ?? []
    servers = []
    peer = nil
  }
}

/// A load run that is under way.
struct RunningLoad {
  let stage: Stage
  let run: LoadRun
  let plan: LoadPlan
  let what: String

  /// Waits for its end.
  func outcome() -> LoadOutcome {
    let outcome = run.outcome()
    stage.judge(outcome, plan, what)
    return outcome
  }
}

/// Who is told what is going on.
public protocol BenchProgress: Sendable {
  /// A scenario does something.
  func step(_ scenario: String, _ text: String)
  /// A scenario has ended.
  func ended(_ result: ScenarioResult)
}
