public import Synchronization

/// Coalescing: however many ask for one key at once, one flight is under way, and its landing wakes them all.
///
/// A flight runs in a task of its own and outlives every caller, the one that began it included. A caller waits until the landing or its own
/// deadline, whichever comes first; nobody polls. The flight leaves the table before anybody is woken, so that whoever
/// asks after a landing leads anew.
public final class FlightTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  @usableFromInline typealias Waiter = FlightWaiter<Value>

  /// Deadlines are kept to this: never early, at most this much late.
  @usableFromInline static var tickMilliseconds: Int64 { 4 }

  @usableFromInline let board: Mutex<FlightBoard<Key, Waiter>>
  @usableFromInline let waiting = Atomic<Int>(0)
  @usableFromInline let maximumWaiters: Int
  @usableFromInline let epoch = ContinuousClock.now

  /// An empty table for at most so many flights and, over all of them, so many waiters.
  @inlinable public init(maximumFlights: Int = 4096, maximumWaiters: Int = 16_384) {
    board = Mutex(FlightBoard(maximumFlights: maximumFlights))
    self.maximumWaiters = maximumWaiters
  }

  /// Flights under way.
  @inlinable public var flights: Int { board.withLock { $0.flightCount } }
  /// Callers that wait.
  @inlinable public var waiters: Int { waiting.load(ordering: .relaxed) }

  /// Waits for the key's flight, which runs `lead` if none is under way.
  ///
  /// A caller whose deadline has passed already begins the flight all the same. `.refused` past the table's bounds.
  @inlinable public func join(
    _ key: Key, deadline: Deadline, lead: @escaping @Sendable () async -> Value
  ) async -> FlightResult<Value> {
    guard waiting.add(1, ordering: .relaxed).newValue <= maximumWaiters else {
      waiting.subtract(1, ordering: .relaxed)
      return .refused
    }
    defer { waiting.subtract(1, ordering: .relaxed) }
    let waiter = Waiter()
    let tick = tick(of: deadline)
    var needsAlarm = false
    let boarding = board.withLock { board in
      let boarded = board.board(key, waiter: waiter, tick: tick)
      needsAlarm = boarded.needsAlarm
      return boarded.boarding
    }
    if boarding == .refuse { return .refused }
    if needsAlarm { setAlarm(tick) }
    if boarding == .lead { begin(key, lead) }
    let role: FlightRole = boarding == .lead ? .led : .joined
    return switch await waiter.outcome() {
    case .landed(let value): .landed(value, role: role)
    case .abandoned: .deadlinePassed(role: role)
    }
  }

  /// Begins the key's flight with nobody waiting for it, as for a prefetch or a refresh behind; false if one is under way already
  /// or the table is full.
  @inlinable @discardableResult
  public func leadOrJoin(_ key: Key, lead: @escaping @Sendable () async -> Value) -> Bool {
    let boarding = board.withLock { $0.board(key) }
    if boarding == .lead { begin(key, lead) }
    return boarding == .lead
  }

  @inlinable func begin(_ key: Key, _ lead: @escaping @Sendable () async -> Value) {
    Task.detached(executorPreference: TurnExecutor.shared) {
      let value = await lead()
      let waiters = self.board.withLock { $0.land(key) }
      for waiter in waiters { waiter.settle(.landed(value)) }
    }
  }

  /// Wakes those whose deadline has come, tick after tick, for as long as somebody waits. One task for all: a flight that lands
  /// leaves nothing behind that sleeps on to its callers' deadlines.
  @inlinable func setAlarm(_ first: Int64) {
    Task.detached(priority: .high) { [weak self, epoch] in
      var next: Int64? = first
      while let tick = next {
        let end = epoch + .milliseconds(tick * Self.tickMilliseconds)
        // Throws when cancelled only, and nobody can cancel this task.
        try? await Task.sleep(until: end, tolerance: .zero, clock: .continuous)
        guard let expired = self?.board.withLock({ $0.expire(tick) }) else { return }
        for waiter in expired.waiters { waiter.settle(.abandoned) }
        next = expired.next
      }
    }
  }

  /// The first tick at or after the deadline, at least 0; a deadline decades away counts as ten years.
  @inlinable func tick(of deadline: Deadline) -> Int64 {
    let distance = min(.seconds(315_360_000), max(.zero, deadline.instant - epoch))
    return (distance.milliseconds + Self.tickMilliseconds) / Self.tickMilliseconds
  }
}
