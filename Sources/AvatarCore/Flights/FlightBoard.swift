/// Who waits for which flight and until when: the pure state of a flight table.
///
/// Deadlines are grouped into ticks. A tick goes with the last flight that somebody waits for until then, so that what is remembered is who waits and not
/// who has waited; and one alarm is enough, for the earliest tick.
@usableFromInline struct FlightBoard<Key: Hashable, Waiter> {
  /// How a caller fares.
  @usableFromInline enum Boarding: Equatable {
    /// Begin the flight.
    case lead
    /// It is under way.
    case join
    /// There are too many.
    case refuse
  }

  @usableFromInline struct Tick {
    @usableFromInline var waiters: [Waiter] = []
    /// Those of them whose flight has not landed.
    @usableFromInline var open = 0
    @inlinable init() {}
  }

  @usableFromInline let maximumFlights: Int
  @usableFromInline var flights: [Key: [(waiter: Waiter, tick: Int64)]] = [:]
  @usableFromInline var ticks: [Int64: Tick] = [:]
  /// The tick that the table's alarm is set to; nil while it is off.
  @usableFromInline var alarm: Int64?

  @inlinable init(maximumFlights: Int) { self.maximumFlights = maximumFlights }

  @usableFromInline var flightCount: Int { flights.count }
  @usableFromInline var tickCount: Int { ticks.count }

  /// Takes a caller that does not wait.
  @inlinable mutating func board(_ key: Key) -> Boarding {
    if flights[key] != nil { return .join }
    guard flights.count < maximumFlights else { return .refuse }
    flights[key] = []
    return .lead
  }

  /// Takes a caller that waits until `tick`; `needsAlarm` asks for an alarm at that tick, in place of any later one.
  @inlinable mutating func board(_ key: Key, waiter: Waiter, tick: Int64) -> (boarding: Boarding, needsAlarm: Bool) {
    let boarding = board(key)
    guard boarding != .refuse else { return (.refuse, false) }
    flights[key]?.append((waiter, tick))
    ticks[tick, default: Tick()].waiters.append(waiter)
    ticks[tick]?.open += 1
    let needsAlarm = alarm.map { tick < $0 } ?? true
    if needsAlarm { alarm = tick }
    return (boarding, needsAlarm)
  }

  /// Ends a flight, and gives those who wait for it; whoever comes now leads anew.
  @inlinable mutating func land(_ key: Key) -> [Waiter] {
    let landed = flights.removeValue(forKey: key) ?? []
    for (_, tick) in landed {
      ticks[tick]?.open -= 1
      if ticks[tick]?.open == 0 { ticks[tick] = nil }
    }
    // A key path of a generic type would be made anew each time.
    return landed.map { $0.waiter }
  }

  /// Ends every tick to `tick`, to which the alarm was set: gives those whose deadline it was, and the tick of the next alarm. An alarm that an earlier one
  /// has replaced gives nothing.
  @inlinable mutating func expire(_ tick: Int64) -> (waiters: [Waiter], next: Int64?) {
    guard alarm == tick else { return ([], nil) }
    var waiters: [Waiter] = []
    for past in ticks.keys where past <= tick { waiters += ticks.removeValue(forKey: past)?.waiters ?? [] }
    alarm = ticks.keys.min()
    return (waiters, alarm)
  }
}
