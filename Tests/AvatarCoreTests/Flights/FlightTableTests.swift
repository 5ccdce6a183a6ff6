import AvatarCore
import Synchronization
import Testing

/// A door that a flight waits at until the test opens it.
private final class Gate: Sendable {
  private let state = Mutex<(isOpen: Bool, waiting: [CheckedContinuation<Void, Never>])>((false, []))

  func pass() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        if !state.isOpen { state.waiting.append(continuation) }
        return state.isOpen
      }
      if isOpen { continuation.resume() }
    }
  }

  func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }
}

/// Counts from any task.
private final class Tally: Sendable {
  private let number = Atomic<Int>(0)
  var total: Int { number.load(ordering: .relaxed) }
  func count() { number.add(1, ordering: .relaxed) }
}

/// Gives others their turn until `condition` holds; the test's own time limit bounds it.
private func until(_ condition: @Sendable () -> Bool) async {
  while !condition() { await Task.yield() }
}

@Suite(.timeLimit(.minutes(5))) struct FlightTableTests {
  private let later = Deadline.after(.seconds(600))
  private let passed = Deadline(ContinuousClock.now - .seconds(1))

  @Test func `one flight runs for ten thousand callers and wakes them all`() async {
    let table = FlightTable<String, Int>()
    let gate = Gate()
    let leads = Tally()
    let deadline = later
    let results = await withTaskGroup(of: FlightResult<Int>.self) { group in
      for _ in 0..<10_000 {
        group.addTask {
          await table.join("a", deadline: deadline) {
            leads.count()
            await gate.pass()
            return 7
          }
        }
      }
      await until { table.waiters == 10_000 }
      #expect(table.flights == 1)
      gate.open()
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(leads.total == 1)
    #expect(results.count { $0 == .landed(7, role: .led) } == 1)
    #expect(results.count { $0 == .landed(7, role: .joined) } == 9999)
    #expect(table.flights == 0 && table.waiters == 0)
  }

  @Test func `callers leave at their deadline and the flight goes on without them`() async {
    let table = FlightTable<String, Int>()
    let gate = Gate()
    let passed = passed
    let lead: @Sendable () async -> Int = {
      await gate.pass()
      return 7
    }
    #expect(await table.join("a", deadline: passed, lead: lead) == .deadlinePassed(role: .led))
    let soon = Deadline.after(.milliseconds(20))
    let results = await withTaskGroup(of: FlightResult<Int>.self) { group in
      for index in 0..<1000 {
        group.addTask { await table.join("a", deadline: index.isMultiple(of: 2) ? soon : passed, lead: lead) }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(results.allSatisfy { $0 == .deadlinePassed(role: .joined) })
    #expect(soon.hasPassed, "nobody leaves early")
    #expect(table.flights == 1 && table.waiters == 0)
    let last = Task { await table.join("a", deadline: .after(.seconds(600)), lead: lead) }
    await until { table.waiters == 1 }
    gate.open()
    #expect(await last.value == .landed(7, role: .joined))
    #expect(table.flights == 0)
  }

  @Test func `a flight outlives the cancelled caller that began it, and is not cancelled itself`() async {
    let table = FlightTable<String, Bool>()
    let gate = Gate()
    let deadline = later
    let lead: @Sendable () async -> Bool = {
      await gate.pass()
      return Task.isCancelled
    }
    let leader = Task { await table.join("a", deadline: deadline, lead: lead) }
    await until { table.waiters == 1 }
    let other = Task { await table.join("a", deadline: deadline, lead: lead) }
    await until { table.waiters == 2 }
    leader.cancel()
    #expect(await leader.value == .deadlinePassed(role: .led), "a cancelled caller leaves at once")
    #expect(table.flights == 1)
    gate.open()
    #expect(await other.value == .landed(false, role: .joined))
  }

  @Test func `a caller that is cancelled before it joins leaves at once and its flight runs`() async {
    let table = FlightTable<String, Int>()
    let gate = Gate()
    let deadline = later
    let start = Gate()
    let caller = Task {
      await start.pass()
      return await table.join("a", deadline: deadline) {
        await gate.pass()
        return 7
      }
    }
    caller.cancel()
    start.open()
    #expect(await caller.value == .deadlinePassed(role: .led))
    #expect(table.flights == 1)
    gate.open()
    await until { table.flights == 0 }
  }

  @Test func `whoever asks after a landing leads anew`() async {
    let table = FlightTable<String, Int>()
    for number in 0..<100 {
      #expect(await table.join("a", deadline: later) { number } == .landed(number, role: .led))
    }
  }

  @Test func `flights of different keys do not wait for each other`() async {
    let table = FlightTable<String, Int>()
    let gate = Gate()
    let deadline = later
    let slow = Task {
      await table.join("slow", deadline: deadline) {
        await gate.pass()
        return 1
      }
    }
    await until { table.flights == 1 }
    #expect(await table.join("fast", deadline: later) { 2 } == .landed(2, role: .led))
    gate.open()
    #expect(await slow.value == .landed(1, role: .led))
  }

  @Test func `a start behind begins one flight that callers may join`() async {
    let table = FlightTable<String, Int>()
    let gate = Gate()
    let lead: @Sendable () async -> Int = {
      await gate.pass()
      return 7
    }
    #expect(table.leadOrJoin("a", lead: lead))
    #expect(!table.leadOrJoin("a", lead: lead))
    let deadline = later
    let caller = Task { await table.join("a", deadline: deadline, lead: lead) }
    await until { table.waiters == 1 }
    gate.open()
    #expect(await caller.value == .landed(7, role: .joined))
    #expect(table.leadOrJoin("a") { 8 }, "after the landing it begins anew")
    await until { table.flights == 0 }
  }

  @Test(arguments: [0, 1, 5])
  func `flights are bounded`(maximum: Int) async {
    let table = FlightTable<Int, Int>(maximumFlights: maximum)
    let gate = Gate()
    for key in 0..<maximum {
      #expect(
        table.leadOrJoin(key) {
          await gate.pass()
          return key
        })
    }
    #expect(!table.leadOrJoin(maximum) { 0 })
    #expect(await table.join(maximum, deadline: later) { 0 } == .refused)
    if maximum > 0 {
      #expect(await table.join(0, deadline: passed) { 0 } == .deadlinePassed(role: .joined), "joining needs no room")
    }
    #expect(table.waiters == 0)
    gate.open()
    await until { table.flights == 0 }
    if maximum > 0 { #expect(await table.join(maximum, deadline: later) { 9 } == .landed(9, role: .led)) }
  }

  @Test func `waiters are bounded over all flights`() async {
    let table = FlightTable<Int, Int>(maximumWaiters: 3)
    let gate = Gate()
    let deadline = later
    let lead: @Sendable () async -> Int = {
      await gate.pass()
      return 7
    }
    let callers = (0..<3).map { key in Task { await table.join(key / 2, deadline: deadline, lead: lead) } }
    await until { table.waiters == 3 }
    #expect(await table.join(0, deadline: deadline, lead: lead) == .refused)
    #expect(await table.join(9, deadline: deadline, lead: lead) == .refused)
    #expect(table.flights == 2, "a refused caller begins nothing")
    gate.open()
    for caller in callers {
      if case .landed(7, _) = await caller.value { continue }
      Issue.record("a caller within the bound was not served")
    }
    #expect(await table.join(9, deadline: deadline, lead: lead) == .landed(7, role: .led))
  }

  @Test func `no value is kept after everybody has it, however far the deadlines are`() async {
    final class Token: Sendable {}
    let table = FlightTable<String, Token>()
    weak var kept: Token?
    func ask() async {
      let result = await table.join("a", deadline: later) { Token() }
      if case .landed(let token, _) = result { kept = token }
      #expect(kept != nil)
    }
    await ask()
    await until { table.flights == 0 }
    // The flight's task may take a moment to end.
    while kept != nil { await Task.yield() }
  }

  @Test func `in random crowds everybody gets one result of the right kind`() async {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(seed: seed)
    let table = FlightTable<Int, Int>(maximumFlights: 12, maximumWaiters: 400)
    let leads = Tally()
    let results = await withTaskGroup(of: (Int, FlightResult<Int>).self) { group in
      for _ in 0..<5000 {
        let key = Int.random(in: 0..<16, using: &random)
        let deadline = Deadline.after(.milliseconds(Int64.random(in: -5...30, using: &random)))
        let turns = Int.random(in: 0...40, using: &random)
        let isCancelled = Int.random(in: 0..<10, using: &random) == 0
        group.addTask {
          let caller = Task {
            await table.join(key, deadline: deadline) {
              leads.count()
              for _ in 0..<turns { await Task.yield() }
              return key
            }
          }
          if isCancelled { caller.cancel() }
          return (key, await caller.value)
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    var led = 0
    for (key, result) in results {
      switch result {
      case .landed(let value, let role):
        #expect(value == key, "seed \(seed)")
        if role == .led { led += 1 }
      case .deadlinePassed(let role): if role == .led { led += 1 }
      case .refused: break
      }
    }
    await until { table.flights == 0 }
    #expect(results.count == 5000 && table.waiters == 0, "seed \(seed)")
    #expect(leads.total == led, "one run for each that led; seed \(seed)")
  }
}
