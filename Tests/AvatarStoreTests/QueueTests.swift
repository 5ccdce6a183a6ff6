import AvatarCore
import Glibc
import Synchronization
import Testing

@testable import AvatarStore

/// The threads below the store, and the rule by which a failed disk is tried again.
@Suite struct QueueTests {
  @Test func `jobs run in order on a thread of the given name, and a closed queue runs what it took`() async {
    let seen = Box<[Int]>([])
    let names = Box<Set<String>>([])
    let queue = JobQueue<Void>(name: "avatar-test", threads: 1, capacity: 1000, make: {})
    for number in 0..<500 {
      let accepted = queue.submit { _ in
        seen.value.withLock { $0.append(number) }
        // What `top -H` shows.
        names.value.withLock { _ = $0.insert(threadName()) }
      }
      #expect(accepted)
    }
    await queue.close()
    #expect(seen.value.withLock { $0 } == Array(0..<500))
    #expect(names.value.withLock { $0 } == ["avatar-test"])
    #expect(!queue.submit { _ in })
    await queue.close()
  }

  @Test func `a full queue takes nothing and says so`() async throws {
    let gate = Box(false)
    let queue = JobQueue<Void>(name: "avatar-test", threads: 1, capacity: 3, make: {})
    // The first job keeps the thread busy until all have been offered.
    await withCheckedContinuation { (started: CheckedContinuation<Void, Never>) in
      _ = queue.submit { _ in
        started.resume()
        while !gate.value.withLock({ $0 }) { sched_yield() }
      }
    }
    let taken = (0..<10).map { _ in queue.submit { _ in } }
    #expect(taken == [true, true, true] + [Bool](repeating: false, count: 7))
    await #expect(throws: StoreFault(.queueFull, "")) { try await queue.run { _ throws(StoreFault) in } }
    gate.value.withLock { $0 = true }
    await queue.close()
  }

  @Test func `a job behind one that is held up is taken by another thread`() async {
    let gate = Box(false)
    let queue = JobQueue<Void>(name: "avatar-test", threads: 4, capacity: 100, make: {})
    // Quick ones first: from then on nobody is woken for a job while a thread is at work.
    for _ in 0..<200 { _ = await withCheckedContinuation { done in _ = queue.submit { _ in done.resume() } } }
    for _ in 0..<3 {
      await withCheckedContinuation { (started: CheckedContinuation<Void, Never>) in
        _ = queue.submit { _ in
          started.resume()
          while !gate.value.withLock({ $0 }) { sched_yield() }
        }
      }
    }
    // Three are held up; the fourth thread does the rest.
    for _ in 0..<20 { _ = await withCheckedContinuation { done in _ = queue.submit { _ in done.resume() } } }
    gate.value.withLock { $0 = true }
    await queue.close()
  }

  @Test func `no job is forgotten, however submitters and threads meet`() async {
    let queue = JobQueue<Void>(name: "avatar-test", threads: 4, capacity: 1000, make: {})
    await withTaskGroup { group in
      for lane in 0..<8 {
        group.addTask {
          for number in 0..<2000 {
            await withCheckedContinuation { done in
              _ = queue.submit { _ in done.resume() }
            }
            // Now and then everything falls asleep first.
            if (number + lane) % 500 == 0 { try? await Task.sleep(for: .milliseconds(3)) }
          }
        }
      }
    }
    await queue.close()
  }

  @Test func `each thread has a context of its own, and finishes it`() async {
    let made = Box(0)
    let finished = Box(0)
    let queue = JobQueue<Int>(
      name: "avatar-test", threads: 3, capacity: 10,
      make: {
        made.value.withLock { count in
          count += 1
          return count
        }
      }, finish: { context in finished.value.withLock { $0 += context } })
    await queue.close()
    #expect(made.value.withLock { $0 } == 3 && finished.value.withLock { $0 } == 6)
  }

  @Test func `what a job resumes does not wait for the tick behind it`() async {
    let (words, feed) = AsyncStream.makeStream(of: String.self)
    let queue = JobQueue<Void>(
      name: "avatar-test", threads: 1, capacity: 10, interval: .milliseconds(1), make: {}, tick: { feed.yield("tick") })
    let accepted = queue.submit {
      Task(executorPreference: TurnExecutor.shared) { feed.yield("resumed") }
      // Longer than an interval: a tick is due right behind it.
      let end = MonotonicMilliseconds.now + 3
      while MonotonicMilliseconds.now < end {}
      feed.yield("job")
    }
    #expect(accepted)
    var behind: [String] = []
    for await word in words where word == "job" || !behind.isEmpty {
      behind.append(word)
      if behind.count == 3 { break }
    }
    #expect(behind == ["job", "resumed", "tick"])
    await queue.close()
  }

  @Test func `pauses double to a bound while the disk fails, and start short again after a good minute`() {
    var health = DiskHealth()
    func fail(_ now: Int64) -> Bool { health.noteFault(at: now) }
    func succeed() -> Bool { health.noteSuccess() }
    func mayProbe(_ now: Int64) -> Bool { health.mayProbe(at: now) }
    #expect(health.isWritable && !mayProbe(0))
    #expect(fail(1000), "a change")
    #expect(!fail(1100), "what was under way is no other try")
    var now: Int64 = 1000
    for pause: Int64 in [500, 1000, 2000, 4000, 4000] {
      #expect(!mayProbe(now + pause - 1) && mayProbe(now + pause), "\(pause)")
      now += pause
      #expect(!fail(now), "no change")
    }
    #expect(succeed())
    #expect(!succeed() && health.isWritable)
    #expect(fail(now + 100), "well for a moment only")
    #expect(!mayProbe(now + 100 + 3999) && mayProbe(now + 100 + 4000))
    #expect(succeed())
    #expect(fail(now + 100_000))
    #expect(mayProbe(now + 100_500), "a short pause again")
  }

  @Test(arguments: [
    (StoreFault.Cause.file(ENOSPC), "disk_full"), (.file(EDQUOT), "disk_full"), (.file(EROFS), "read_only"),
    (.file(EACCES), "no_permission"), (.file(EIO), "io_error"), (.file(ENOENT), "vanished"),
    (.index(13), "disk_full"), (.index(8), "read_only"), (.index(5), "index_busy"), (.index(11), "index_damaged"),
    (.index(26), "index_damaged"), (.index(10 | 12 << 8), "io_error"), (.index(14), "index_unopenable"),
  ])
  func `a fault has one word for the log, by its number`(_ row: (StoreFault.Cause, String)) {
    #expect(StoreFault(row.0, "test").reason == row.1)
  }

  static let codes: [(Int32, Bool)] = [
    (11, true), (11 | 1 << 8, true), (26, true), (24, true), (19, true), (10 | 2 << 8, true), (10, false), (13, false),
    (8, false), (5, false), (14, false), (7, false), (1, false),
  ]

  @Test(arguments: codes)
  func `an index is set aside for damage alone`(_ row: (Int32, Bool)) {
    #expect(StoreFault(.index(row.0), "test").meansDamagedIndex == row.1)
  }
}

/// The calling thread's name.
private func threadName() -> String {
  guard let file = fopen("/proc/thread-self/comm", "r") else { return "" }
  defer { fclose(file) }
  var line = [CChar](repeating: 0, count: 64)
  fgets(&line, 64, file)
  return String(decoding: line.prefix { $0 != 0 && $0 != 10 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}
