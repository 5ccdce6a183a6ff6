import AvatarCore
import Testing

@testable import AvatarWorkers

/// Who is next, as a value without threads.
struct WorkQueueTests {
  private let start = ContinuousClock.now
  private func deadline(_ seconds: Int) -> Deadline { Deadline(start + .seconds(seconds)) }

  private func drain(
    _ queue: inout WorkQueue<Int>, isFresh: Bool = false, mayTakeBackground: Bool = true, mayTakeLarge: Bool = true
  ) -> [Int] {
    var order: [Int] = []
    while let job = queue.next(
      isFresh: isFresh, mayTakeBackground: mayTakeBackground, mayTakeLarge: mayTakeLarge)
    { order.append(job) }
    return order
  }

  @Test func `what somebody waits for goes first, each kind in its order`() {
    var queue = WorkQueue<Int>(capacity: 10)
    for (job, priority) in [(1, WorkPriority.background), (2, .interactive), (3, .background), (4, .interactive)] {
      #expect(queue.enqueue(job, number: UInt64(job), priority: priority, deadline: deadline(9), idle: 0) == .queued)
    }
    #expect(drain(&queue) == [2, 4, 1, 3])
    #expect(queue.count == 0 && queue.nextExpiry == nil)
  }

  @Test func `background work stays where it may not be taken`() {
    var queue = WorkQueue<Int>(capacity: 10)
    _ = queue.enqueue(1, number: 1, priority: .background, deadline: deadline(9), idle: 0)
    _ = queue.enqueue(2, number: 2, priority: .interactive, deadline: deadline(9), idle: 0)
    #expect(drain(&queue, mayTakeBackground: false) == [2])
    #expect(queue.count == 1)
  }

  @Test func `large pictures let small ones pass where no worker may take them, and else keep their turn`() {
    let jobs: [(Int, WorkPriority, isLarge: Bool)] = [
      (1, .interactive, true), (2, .interactive, false), (3, .background, true), (4, .background, false),
      (5, .interactive, true), (6, .interactive, false),
    ]
    for (mayTakeLarge, order) in [(true, [1, 2, 5, 6, 3, 4]), (false, [2, 6, 4])] {
      var queue = WorkQueue<Int>(capacity: 20)
      for (job, priority, isLarge) in jobs {
        let admission = queue.enqueue(
          job, number: UInt64(job), priority: priority, isLarge: isLarge, deadline: deadline(9), idle: 0)
        #expect(admission == .queued)
      }
      #expect(drain(&queue, mayTakeLarge: mayTakeLarge) == order)
      #expect(queue.count == jobs.count - order.count)
      #expect(drain(&queue) == (mayTakeLarge ? [] : [1, 5, 3]))
    }
  }

  @Test func `a retry goes to a fresh worker only, and before everything`() {
    var queue = WorkQueue<Int>(capacity: 1)
    _ = queue.enqueue(1, number: 1, priority: .interactive, deadline: deadline(9), idle: 0)
    queue.enqueueRetry(2, number: 2, deadline: deadline(9))
    #expect(queue.hasRetries)
    #expect(queue.next(isFresh: false, mayTakeBackground: true, mayTakeLarge: true) == 1)
    #expect(queue.next(isFresh: false, mayTakeBackground: true, mayTakeLarge: true) == nil)
    #expect(queue.next(isFresh: true, mayTakeBackground: true, mayTakeLarge: true) == 2)
    #expect(!queue.hasRetries)
  }

  @Test(arguments: [
    // capacity, idle, how many of each are taken when each comes alone
    (1, 0, 1, 1), (2, 0, 2, 1), (8, 0, 8, 4), (8, 2, 10, 5), (1, 1, 2, 1),
  ])
  func `each kind finds its room and no more`(capacity: Int, idle: Int, interactive: Int, background: Int) {
    for (priority, room) in [(WorkPriority.interactive, interactive), (.background, background)] {
      var queue = WorkQueue<Int>(capacity: capacity)
      let taken = (0..<100).count {
        queue.enqueue($0, number: UInt64($0), priority: priority, deadline: deadline(9), idle: idle) == .queued
      }
      #expect(taken == room, "capacity \(capacity), idle \(idle), \(priority)")
    }
  }

  @Test func `background work leaves half the room to what somebody waits for`() {
    var queue = WorkQueue<Int>(capacity: 4)
    for job in 0..<9 {
      _ = queue.enqueue(job, number: UInt64(job), priority: .background, deadline: deadline(9), idle: 0)
    }
    #expect(queue.count == 2)
    for job in 10..<19 {
      _ = queue.enqueue(job, number: UInt64(job), priority: .interactive, deadline: deadline(9), idle: 0)
    }
    #expect(drain(&queue) == [10, 11, 0, 1])
  }

  @Test func `those whose deadline has come leave, the others keep their order`() {
    var queue = WorkQueue<Int>(capacity: 10)
    for (job, seconds) in [(1, 5), (2, 1), (3, 3), (4, 1)] {
      _ = queue.enqueue(job, number: UInt64(job), priority: .interactive, deadline: deadline(seconds), idle: 0)
    }
    queue.enqueueRetry(5, number: 5, deadline: deadline(2))
    #expect(queue.nextExpiry == deadline(1))
    #expect(queue.expire(now: start + .milliseconds(999)) == [])
    #expect(queue.expire(now: start + .seconds(1)) == [2, 4])
    #expect(queue.nextExpiry == deadline(2))
    #expect(queue.expire(now: start + .seconds(4)) == [5, 3])
    #expect(drain(&queue) == [1])
  }

  @Test func `one is taken out by its number, once`() {
    var queue = WorkQueue<Int>(capacity: 10)
    for job in 1...3 {
      _ = queue.enqueue(job, number: UInt64(job), priority: .interactive, deadline: deadline(9), idle: 0)
    }
    #expect(queue.remove(number: 2) == 2)
    #expect(queue.remove(number: 2) == nil)
    #expect(queue.removeAll() == [1, 3])
  }

  @Test func `random histories agree with a plain list`() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(seed: seed)
    for _ in 0..<50 {
      var queue = WorkQueue<Int>(capacity: 40)
      var model: [(job: Int, priority: WorkPriority, isLarge: Bool, deadline: Int)] = []
      for job in 0..<400 {
        switch Int.random(in: 0..<4, using: &random) {
        case 0, 1:
          let priority: WorkPriority = Bool.random(using: &random) ? .interactive : .background
          let seconds = Int.random(in: 1...500, using: &random)
          let fits = model.count < 40 && (priority == .interactive || model.count { $0.priority == .background } < 20)
          let isLarge = Bool.random(using: &random)
          let admission = queue.enqueue(
            job, number: UInt64(job), priority: priority, isLarge: isLarge, deadline: deadline(seconds), idle: 0)
          #expect((admission == .queued) == fits, "seed \(seed)")
          if fits { model.append((job, priority, isLarge, seconds)) }
        case 2:
          let mayTakeLarge = Bool.random(using: &random)
          let index =
            model.firstIndex { $0.priority == .interactive && (mayTakeLarge || !$0.isLarge) }
            ?? model.firstIndex { mayTakeLarge || !$0.isLarge }
          let next = queue.next(isFresh: true, mayTakeBackground: true, mayTakeLarge: mayTakeLarge)
          #expect(next == index.map { model[$0].job }, "seed \(seed)")
          if let index { model.remove(at: index) }
        default:
          let now = Int.random(in: 1...100, using: &random)
          let expired = Set(queue.expire(now: start + .seconds(now)))
          #expect(expired == Set(model.filter { $0.deadline <= now }.map(\.job)), "seed \(seed)")
          model.removeAll { $0.deadline <= now }
        }
        #expect(queue.count == model.count, "seed \(seed)")
      }
    }
  }
}

/// SplitMix64: the same numbers from the same seed.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }
}
