import AvatarCore
import AvatarWorkers
import Glibc
import Testing

/// The pool with workers that behave.
struct WorkerPoolTests {
  @Test func `an image goes out and an avatar with its facts comes back`() async throws {
    try await TestPool.with { pool in
      let avatar = try await pool.order("picture").get()
      #expect(avatar.jpeg.starts(with: [0xFF, 0xD8]))
      #expect(avatar.facts == ImageFacts(format: "png", width: 640, height: 480, frames: 1, quality: 82))
      #expect(avatar.queued >= .zero && avatar.decoded > .zero)
      #expect(pool.statistics().readiness == .ready(missing: []) || geteuid() != 0)
    }
  }

  @Test func `many images one after the other use one worker`() async throws {
    try await TestPool.with { pool in
      for _ in 0..<500 { #expect(await pool.code("picture") == nil) }
      #expect(pool.statistics().restarts == [:])
    }
  }

  @Test(arguments: [0, 1, 1000, 1 << 20, 10 << 20])
  func `a source arrives whole`(padding: Int) async throws {
    try await TestPool.with { pool in
      let expected = "sum".utf8.reduce(0) { $0 + Int($1) } + 10 * padding
      let answer = await pool.order("sum", padding: padding)
      #expect(answer.failure?.detail == "sum \(expected)", "padding \(padding)")
    }
  }

  @Test(arguments: [
    ("image_unsupported", AvatarError.Code.imageUnsupported), ("image_corrupt", .imageCorrupt),
    ("image_too_many_pixels", .imageTooManyPixels), ("source_empty", .sourceEmpty), ("internal", .internalFault),
    // Not a worker's to claim.
    ("invalid_signature", .internalFault), ("overloaded", .internalFault),
  ])
  func `a refusal comes back with its code and is not tried again`(name: String, code: AvatarError.Code) async throws {
    try await TestPool.with { pool in
      let answer = await pool.order("refuse " + name)
      #expect(answer.failure?.code == code && answer.failure?.detail == "as told", "\(name)")
      #expect(pool.statistics().restarts == [:])
    }
  }

  @Test func `an empty source never reaches a worker`() async throws {
    try await TestPool.with { pool in #expect(await pool.code("") == .sourceEmpty) }
  }

  @Test func `a full queue sheds and what waits is answered`() async throws {
    try await TestPool.with(count: 1, queue: 2) { pool in
      async let held = pool.order("hold")
      try await TestPool.eventually("busy") { pool.statistics().busy == 1 }
      async let first = pool.order("picture")
      async let second = pool.order("picture")
      try await TestPool.eventually("two wait") { pool.statistics().queued == 2 }
      let shed = await pool.order("picture")
      #expect(shed.failure?.code == .overloaded && shed.failure?.retryAfter != nil)
      try release(pool)
      #expect(await [held, first, second].map(\.isSuccess) == [true, true, true])
    }
  }

  @Test func `more images at once than the queue holds are taken while workers are idle`() async throws {
    try await TestPool.with(count: 2, queue: 1) { pool in
      try await TestPool.eventually("both up") { pool.statistics().up == 2 }
      async let first = pool.order("hold")
      async let second = pool.order("hold")
      try await TestPool.eventually("both busy") { pool.statistics().busy == 2 }
      try release(pool)
      #expect(await [first, second].map(\.isSuccess) == [true, true])
    }
  }

  @Test func `background work never holds the last worker`() async throws {
    try await TestPool.with(count: 2) { pool in
      try await TestPool.eventually("both up") { pool.statistics().up == 2 }
      async let held = pool.order("hold", priority: .background)
      // Orders that run side by side come in any order: the one that waits is given when the other is held.
      try await TestPool.eventually("one busy") { pool.statistics().busy == 1 }
      async let waiting = pool.order("picture", priority: .background)
      try await TestPool.eventually("one busy, one waits") {
        pool.statistics().busy == 1 && pool.statistics().queued == 1
      }
      #expect(await pool.code("picture") == nil)
      #expect(pool.statistics().queued == 1)
      try release(pool)
      #expect(await [held, waiting].map(\.isSuccess) == [true, true])
    }
  }

  @Test func `a caller leaves the queue at its deadline`() async throws {
    try await TestPool.with { pool in
      async let held = pool.order("hold")
      try await TestPool.eventually("busy") { pool.statistics().busy == 1 }
      #expect(await pool.order("picture", deadline: .milliseconds(20)).failure?.code == .budgetExceeded)
      #expect(await pool.order("picture", deadline: .zero).failure?.code == .budgetExceeded)
      #expect(pool.statistics().queued == 0 && pool.statistics().busy == 1)
      try release(pool)
      #expect(await held.isSuccess)
    }
  }

  @Test func `an image in hand is finished though its caller's deadline has passed`() async throws {
    try await TestPool.with { pool in
      async let held = pool.order("hold", deadline: .seconds(3))
      try await TestPool.eventually("busy") { pool.statistics().busy == 1 }
      #expect(await pool.order("picture", deadline: .seconds(4)).failure?.code == .budgetExceeded)
      try release(pool)
      #expect(await held.isSuccess)
    }
  }

  @Test func `a cancelled caller leaves the queue at once`() async throws {
    try await TestPool.with { pool in
      async let held = pool.order("hold")
      try await TestPool.eventually("busy") { pool.statistics().busy == 1 }
      let caller = Task { await pool.order("picture") }
      try await TestPool.eventually("waits") { pool.statistics().queued == 1 }
      caller.cancel()
      #expect(await caller.value.failure?.code == .budgetExceeded)
      try release(pool)
      #expect(await held.isSuccess)
    }
  }

  @Test func `stopping answers everybody and leaves no process`() async throws {
    let pool = try WorkerPool(WorkerPoolOptions(count: 2, executable: TestPool.executable(), log: RecordingLog()))
    try await pool.start()
    try await TestPool.eventually("both up") { pool.statistics().up == 2 }
    let processes = pool.statistics().processes
    async let first = pool.order("hold")
    async let second = pool.order("hold")
    try await TestPool.eventually("both busy") { pool.statistics().busy == 2 }
    async let third = pool.order("picture")
    try await TestPool.eventually("one waits") { pool.statistics().queued == 1 }
    await pool.stop()
    #expect(await [first, second, third].map { $0.failure?.code } == [.overloaded, .overloaded, .overloaded])
    #expect(processes.count == 2 && processes.allSatisfy { kill($0, 0) < 0 && errno == ESRCH })
    #expect(await pool.code("picture") == .overloaded)
    await pool.stop()
  }

  @Test func `a pool that is stopped while it starts says so to who waits for it`() async throws {
    let pool = try WorkerPool(
      WorkerPoolOptions(count: 1, executable: TestPool.executable("never-ready"), log: RecordingLog()))
    let start = Task { () -> AvatarError? in
      do throws(AvatarError) {
        try await pool.start()
        return nil
      } catch {
        return error
      }
    }
    try await TestPool.eventually("started") { pool.statistics().count == 1 }
    await pool.stop()
    #expect(await start.value?.detail == "the workers are stopping")
  }

  @Test func `a pool that has not been started sheds`() async throws {
    let pool = try WorkerPool(
      WorkerPoolOptions(count: 1, executable: TestPool.executable(), log: RecordingLog()))
    #expect(await pool.code("picture") == .overloaded)
    await pool.stop()
  }

  @Test func `workers run at low priority`() async throws {
    try await TestPool.with { pool in
      let nice = await pool.order("nice").failure?.detail
      #expect(nice != "nice 0")
      let process = try #require(pool.statistics().processes.first)
      errno = 0
      #expect(getpriority(__priority_which_t(0), id_t(process)) >= 10)
      #expect(sched_getscheduler(process) == 3, "SCHED_BATCH")
    }
  }

  /// Lets every held image go.
  private func release(_ pool: WorkerPool) throws {
    for process in pool.statistics().processes { try #require(kill(process, SIGUSR1) == 0) }
  }
}
