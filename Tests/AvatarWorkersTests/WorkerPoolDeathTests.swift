import AvatarCore
import AvatarWorkers
import Glibc
import Testing

/// The pool with pictures that kill, seize or stop its workers, and with people who do.
struct WorkerPoolDeathTests {
  struct Hostile: Sendable, CustomTestStringConvertible {
    let order: String
    let reason: WorkerRestartReason
    var timeout = Duration.seconds(30)
    var testDescription: String { order }
  }

  @Test(arguments: [
    Hostile(order: "crash", reason: .crashed), Hostile(order: "abort", reason: .crashed),
    Hostile(order: "exit", reason: .crashed),
    Hostile(order: "spin", reason: .timedOut, timeout: .milliseconds(100)),
    Hostile(order: "spin without the alarm", reason: .timedOut, timeout: .milliseconds(100)),
    Hostile(order: "babble", reason: .protocolBroken), Hostile(order: "claim four gigabytes", reason: .protocolBroken),
    Hostile(order: "answer another", reason: .protocolBroken),
    Hostile(order: "be ready again", reason: .protocolBroken),
    Hostile(order: "close the socket", reason: .protocolBroken),
    Hostile(order: "answer with text", reason: .protocolBroken),
    Hostile(order: "answer with another size", reason: .protocolBroken),
    Hostile(order: "try fork", reason: .crashed), Hostile(order: "try execute a program", reason: .crashed),
  ])
  func `a picture that ends two workers is corrupt, and the next one is fine`(hostile: Hostile) async throws {
    let log = RecordingLog()
    try await TestPool.with(log: log) { pool in
      var answer = await pool.order(hostile.order, timeout: hostile.timeout)
      // On a machine so busy that the worker hardly ran, a timed order is not blamed. It is asked for again.
      while hostile.reason == .timedOut, answer.failure?.code == .overloaded {
        answer = await pool.order(hostile.order, timeout: hostile.timeout)
      }
      #expect(answer.failure?.code == .imageCorrupt, "\(hostile.order): \(answer)")
      var restarts = pool.statistics().restarts
      if hostile.reason == .timedOut { restarts[.starved] = nil }
      #expect(restarts[hostile.reason] ?? 0 >= 2 && restarts.count == 1, "\(hostile.order): \(restarts)")
      #expect(await pool.code("picture") == nil, "\(hostile.order)")
      #expect(pool.statistics().restarts.values.reduce(0, +) == log.lines.count { $0.contains("worker_ended") })
    }
  }

  @Test func `a picture that only a used worker cannot stand gets its avatar from a fresh one`() async throws {
    try await TestPool.with { pool in
      #expect(await pool.code("picture") == nil)
      #expect(await pool.code("crash unless fresh") == nil)
      #expect(pool.statistics().restarts == [.crashed: 1])
    }
  }

  @Test func `a retry that would come after the deadline is not tried`() async throws {
    try await TestPool.with { pool in
      let answer = await pool.order("spin", timeout: .milliseconds(200), deadline: .milliseconds(100))
      #expect(answer.failure?.code == .budgetExceeded)
      #expect(pool.statistics().restarts.values.reduce(0, +) == 1)
    }
  }

  @Test func `one killed from outside costs its image a retry, killed twice it is not remembered`() async throws {
    try await TestPool.with { pool in
      async let once = pool.order("hold")
      try await killBusyWorker(of: pool)
      try await TestPool.eventually("tried again") { pool.statistics().busy == 1 }
      try #require(kill(try #require(pool.statistics().processes.first), SIGUSR1) == 0)
      #expect(await once.isSuccess)

      async let twice = pool.order("hold")
      try await killBusyWorker(of: pool)
      try await killBusyWorker(of: pool)
      #expect(await twice.failure?.code == .internalFault)
      #expect(pool.statistics().restarts == [.killed: 3])
      #expect(await pool.code("picture") == nil)
    }
  }

  @Test func `a worker that somebody has stopped is replaced and its image not blamed`() async throws {
    try await TestPool.with { pool in
      let process = try #require(pool.statistics().processes.first)
      try #require(kill(process, SIGSTOP) == 0)
      #expect(await pool.code("picture", timeout: .milliseconds(200)) == nil)
      #expect(pool.statistics().restarts == [.starved: 1])
    }
  }

  @Test func `a picture that sleeps twice through its wall time is not remembered`() async throws {
    try await TestPool.with { pool in
      #expect(await pool.code("sleep", timeout: .milliseconds(100)) == .overloaded)
      #expect(pool.statistics().restarts == [.starved: 2])
    }
  }

  @Test func `an unasked second answer ends the worker and spoils nobody's image`() async throws {
    try await TestPool.with { pool in
      for _ in 0..<20 {
        async let bad = pool.order("answer another")
        async let good = pool.order("picture")
        #expect(await bad.failure?.code == .imageCorrupt)
        #expect(await good.isSuccess)
      }
    }
  }

  @Test func `a hundred kills under load fail at most the image in hand, and that only when killed twice`() async throws
  {
    try await TestPool.with(count: 2, queue: 1000) { pool in
      let isOver = Flag()
      let load = (0..<4).map { _ in
        Task {
          var outcomes: [AvatarError.Code?] = []
          while !isOver.isSet { outcomes.append(await pool.code("picture")) }
          return outcomes
        }
      }
      for _ in 0..<100 {
        try await TestPool.eventually("a worker is up") { !pool.statistics().processes.isEmpty }
        let process = try #require(pool.statistics().processes.randomElement())
        try #require(kill(process, SIGKILL) == 0)
        try await TestPool.eventually("it is gone") { !pool.statistics().processes.contains(process) }
      }
      isOver.set()
      var outcomes: [AvatarError.Code?] = []
      for task in load { outcomes += await task.value }
      let failed = outcomes.filter { $0 != nil }
      #expect(failed.allSatisfy { $0 == .internalFault } && 2 * failed.count <= 100, "\(failed)")
      #expect(outcomes.count > failed.count, "\(outcomes.count)")
      try await TestPool.eventually("all are buried") { pool.statistics().restarts.values.reduce(0, +) >= 100 }
      // One or the other may have been on its way out already, for a fresh one that a retry needed.
      #expect(Set(pool.statistics().restarts.keys).isSubset(of: [.killed, .recycled]), "\(pool.statistics().restarts)")
      #expect(await pool.code("picture") == nil)
    }
  }

  @Test func `a worker that holds too much memory leaves after a fresh one is up`() async throws {
    try await TestPool.with(adjust: { $0.restingMemoryBytes = 1 << 20 }) { pool in
      let first = try #require(pool.statistics().processes.first)
      #expect(await pool.code("hoard") == nil)
      for _ in 0..<16 { #expect(await pool.code("picture") == nil) }
      try await TestPool.eventually("another worker") { pool.statistics().restarts == [.recycled: 1] }
      #expect(!pool.statistics().processes.contains(first) && pool.statistics().up == 1)
      #expect(await pool.code("picture") == nil)
    }
  }

  @Test func `a worker that has used up its CPU time leaves after a fresh one is up`() async throws {
    try await TestPool.with(adjust: { $0.lifetimeCPU = .zero }) { pool in
      #expect(await pool.code("picture") == nil)
      try await TestPool.eventually("recycled") { pool.statistics().restarts[.recycled] == 1 }
      #expect(await pool.code("picture") == nil)
    }
  }

  @Test func `what a worker writes is logged as harmless text within a bound and cannot block it`() async throws {
    let log = RecordingLog()
    try await TestPool.with(log: log) { pool in
      #expect(await pool.code("chatter") == nil)
      #expect(await pool.code("picture") == nil)
    }
    let lines = log.lines.filter { $0.contains("worker_output") }
    #expect(lines.first?.contains("?[31mwarning: xxx") == true, "\(lines.first ?? "none")")
    #expect(!lines.isEmpty && lines.count <= 1200, "\(lines.count)")
  }

  @Test(arguments: [
    ("crash-at-start", "signal"), ("exit-at-start", "exited with 7: no decoder here"),
    ("babble-at-start", "not a header"),
    ("unconfined", "confinement failed: no-new-privileges"), ("never-ready", "not ready within 200 ms"),
  ])
  func `a worker that cannot start makes the start fail with the reason`(name: String, reason: String) async throws {
    var options = WorkerPoolOptions(count: 1, executable: try TestPool.executable(name), log: RecordingLog())
    if name == "never-ready" { options.startTimeout = .milliseconds(200) }
    let pool = try WorkerPool(options)
    let fault = await #expect(throws: AvatarError.self) { try await pool.start() }
    #expect(fault?.code == .internalFault && fault?.detail.contains(reason) == true, "\(name): \(fault?.detail ?? "")")
    guard case .unready(let shown) = pool.statistics().readiness else {
      Issue.record("ready with \(name)")
      return
    }
    #expect(shown.contains(reason))
    // It goes on trying.
    let failures = pool.statistics().restarts[.startFailed] ?? 0
    try await TestPool.eventually("another try") { pool.statistics().restarts[.startFailed] ?? 0 > failures }
    #expect(await pool.order("picture", deadline: .milliseconds(50)).failure?.code == .budgetExceeded)
    await pool.stop()
  }

  @Test func `a missing program makes the start fail with the reason`() async throws {
    let pool = try WorkerPool(
      WorkerPoolOptions(count: 1, executable: TestPool.directory() + "/no-such-worker", log: RecordingLog()))
    let fault = await #expect(throws: AvatarError.self) { try await pool.start() }
    #expect(fault?.detail.contains("no-such-worker") == true && fault?.detail.contains("errno 2") == true)
    await pool.stop()
  }

  @Test func `where confinement is only preferred, an unconfined worker works and says what is missing`() async throws {
    let log = RecordingLog()
    try await TestPool.with(name: "unconfined", log: log, adjust: { $0.confinement = .preferred }) { pool in
      #expect(await pool.code("picture") == nil)
      guard case .ready(let missing) = pool.statistics().readiness else {
        Issue.record("not ready")
        return
      }
      #expect(missing.contains("call-filter (never tried)") && missing.count == ConfinementMeasure.allCases.count)
    }
    #expect(log.lines.count { $0.hasPrefix("warning worker_confinement_incomplete") } == 1)
  }

  /// Waits until an image is in hand and kills its worker.
  private func killBusyWorker(of pool: WorkerPool) async throws {
    try await TestPool.eventually("busy") { pool.statistics().busy == 1 }
    let process = try #require(pool.statistics().processes.first)
    try #require(kill(process, SIGKILL) == 0)
    try await TestPool.eventually("gone") { !pool.statistics().processes.contains(process) }
  }
}
