import AvatarCore
import Glibc
import Testing

@testable import AvatarWorkers

/// The pool's rules as values: an image's clock, what a death means, when to start again.
struct WorkerRulesTests {
  private let start = ContinuousClock.now
  private func at(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }

  @Test(arguments: [
    // wall ms, CPU ms used, ruling at a limit of 1 s and one core
    (0, 0, "go on to 1050"), (500, 400, "go on to 1150"), (1000, 1000, "go on to 1050"), (1049, 1049, "go on to 1054"),
    (1050, 1050, "timed out"), (1060, 1049, "go on to 1065"), (1999, 0, "go on to 2000"), (1999, 1049, "go on to 2000"),
    (2000, 500, "timed out"), (2000, 499, "starved"), (2000, 0, "starved"), (9000, 1050, "timed out"),
  ])
  func `an image has its CPU time and twice that on the wall`(wall: Int, cpu: Int, expected: String) {
    let clock = DecodeClock(limit: .seconds(1), now: start, cpu: .seconds(7), threads: 1)
    let ruling = clock.ruling(now: at(wall), cpu: .seconds(7) + .milliseconds(cpu))
    let text =
      switch ruling {
      case .timedOut: "timed out"
      case .starved: "starved"
      case .goOn(let moment): "go on to \((moment - start).milliseconds)"
      }
    #expect(text == expected, "wall \(wall), CPU \(cpu)")
  }

  @Test func `the first look is at the soonest that many threads can use the time up`() {
    for (threads, expected) in [(0, 1050), (1, 1050), (2, 525), (105, 10)] {
      let clock = DecodeClock(limit: .seconds(1), now: start, cpu: .zero, threads: threads)
      #expect(clock.firstLook == at(expected), "\(threads) threads")
    }
    #expect(DecodeClock(limit: .seconds(1), now: start, cpu: .seconds(5), threads: 1).used(cpu: .zero) == .zero)
  }

  private static func death(
    _ ending: WorkerDeath.Ending, _ verdict: WorkerDeath.Verdict? = nil, wasReady: Bool = true
  ) -> WorkerDeath { WorkerDeath(verdict: verdict, ending: ending, wasReady: wasReady) }

  @Test(arguments: [
    (death(.signalled(SIGSEGV)), WorkerRestartReason.crashed, true), (death(.signalled(SIGSYS)), .crashed, true),
    (death(.signalled(SIGABRT)), .crashed, true), (death(.exited(0)), .crashed, true),
    (death(.exited(1)), .crashed, true),
    (death(.signalled(SIGPROF)), .timedOut, true), (death(.signalled(SIGXCPU)), .timedOut, true),
    (death(.signalled(SIGKILL)), .killed, false), (death(.signalled(SIGTERM)), .killed, false),
    (death(.signalled(SIGINT)), .killed, false), (death(.signalled(SIGKILL), .timedOut), .timedOut, true),
    (death(.signalled(SIGKILL), .starved), .starved, false),
    (death(.signalled(SIGSEGV), .protocolBroken("x")), .protocolBroken, true),
    (death(.signalled(SIGKILL), .dismissed), .recycled, false),
    (death(.signalled(SIGSEGV), wasReady: false), .startFailed, false),
    (death(.signalled(SIGKILL), .protocolBroken("x"), wasReady: false), .startFailed, false),
    (death(.signalled(SIGKILL), .unfit("x"), wasReady: false), .startFailed, false),
  ])
  func `a death has one reason and one who is to blame`(death: WorkerDeath, reason: WorkerRestartReason, own: Bool) {
    #expect(death.reason == reason && death.isOfItsOwnDoing == own, "\(death)")
    #expect(!death.description.isEmpty)
  }

  @Test func `two deaths of its own doing make an image corrupt, and nothing else does`() {
    let own = Self.death(.signalled(SIGSEGV))
    let killed = Self.death(.signalled(SIGKILL))
    let starved = Self.death(.signalled(SIGKILL), .starved)
    let later = Deadline.after(.seconds(60))
    let table: [([WorkerDeath], AvatarError.Code?)] = [
      ([own], nil), ([killed], nil), ([starved], nil), ([own, own], .imageCorrupt), ([own, killed], .internalFault),
      ([killed, own], .internalFault), ([killed, killed], .internalFault), ([starved, own], .overloaded),
      ([own, starved], .overloaded), ([starved, killed], .overloaded),
    ]
    for (deaths, code) in table {
      #expect(WorkerJob.verdict(after: deaths, deadline: later)?.code == code, "\(deaths)")
    }
    #expect(WorkerJob.verdict(after: [own], deadline: Deadline(start))?.code == .budgetExceeded)
    #expect(WorkerJob.verdict(after: [own, own], deadline: Deadline(start))?.code == .imageCorrupt)
  }

  @Test func `failed starts are tried again ever later but at least once a second`() {
    var backoff = SpawnBackoff()
    #expect(backoff.wait(now: start) == nil)
    var waits: [Int64] = []
    for _ in 0..<8 {
      backoff.fail(now: start)
      waits.append(backoff.wait(now: start).map { ($0 - start).milliseconds } ?? 0)
    }
    #expect(waits == [100, 200, 400, 800, 1000, 1000, 1000, 1000])
    for _ in 0..<100_000 { backoff.fail(now: start) }
    #expect(backoff.wait(now: at(999)) != nil && backoff.wait(now: at(1000)) == nil)
    backoff.succeed()
    #expect(backoff == SpawnBackoff())
  }

  @Test func `of many failures few get a line`() {
    var backoff = SpawnBackoff()
    let lines = (0..<1000).count { _ in
      backoff.fail(now: start)
      return backoff.isWorthALine
    }
    #expect(lines == 10)
  }

  @Test(arguments: [
    [], ["768"], ["768", "sometimes"], ["0", "required"], ["-1", "required"], ["x", "required"],
    ["1", "required", "more"],
  ])
  func `arguments that the server does not write are refused`(words: [String]) {
    #expect(WorkerArguments(words: words) == nil, "\(words)")
  }

  @Test func `arguments survive the way to the worker`() {
    for confinement in [WorkerPoolOptions.Confinement.required, .preferred] {
      let arguments = WorkerArguments(memoryBytes: 805_306_368, confinement: confinement)
      #expect(WorkerArguments(words: arguments.words) == arguments)
    }
  }
}

struct CoreCourtesyTests {
  private typealias Rule = CoreCourtesy.Rule

  @Test func `small pictures let nobody go first, large ones at most every quarter of a millisecond`() {
    var rule = Rule(now: 800_000, isLarge: false)
    #expect(!rule.mayBeDue(now: 1_000_000) && rule.mayBeDue(now: 1_050_000))
    #expect(!rule.isDue(worked: 2_900_000) && rule.isDue(worked: 3_000_000))
    rule.note(from: 1_000_000, to: 1_010_000)
    #expect(!rule.mayBeDue(now: 1_259_000) && rule.mayBeDue(now: 1_260_000))
  }

  @Test func `what is large by its bytes lets others go first at once`() {
    let rule = Rule(now: 0, isLarge: true)
    #expect(rule.isDue(worked: 0) && rule.isDue(worked: 3_000_000))
  }

  @Test func `who does not get its core back soon keeps it`() {
    var rule = Rule(now: 0, isLarge: true)
    rule.note(from: 0, to: 400_000_000)
    #expect(!rule.isDue(worked: 24_900_000) && rule.isDue(worked: 25_000_000))
  }
}
