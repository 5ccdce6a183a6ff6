/// Who waits for which flight and until when: the pure state of a flight table.
///
/// Deadlines are grouped into ticks, so that ten thousand waiters need a few timers and not ten thousand. A waiter stands both with its
/// flight and with its tick, and whichever comes first settles it; the other then finds it settled.
/// A settled waiter holds no value, and its place at the tick goes when the tick ends.
struct FlightBoard<Key: Hashable, Waiter> {
  /// How a caller fares.
  enum Boarding: Equatable {
    /// Begin the flight.
    case lead
    /// It is under way.
    case join
    /// There are too many.
    case refuse
  }

  let maximumFlights: Int
  private var flights: [Key: [Waiter]] = [:]
  private var ticks: [Int64: [Waiter]] = [:]

  init(maximumFlights: Int) { self.maximumFlights = maximumFlights }

  var flightCount: Int { flights.count }
  var tickCount: Int { ticks.count }

  /// Takes a caller that does not wait.
  mutating func board(_ key: Key) -> Boarding {
    if flights[key] != nil { return .join }
    guard flights.count < maximumFlights else { return .refuse }
    flights[key] = []
    return .lead
  }

  /// Takes a caller that waits until `tick`; `isNewTick` asks for a timer.
  mutating func board(_ key: Key, waiter: Waiter, tick: Int64) -> (boarding: Boarding, isNewTick: Bool) {
    let boarding = board(key)
    guard boarding != .refuse else { return (.refuse, false) }
    flights[key]?.append(waiter)
    ticks[tick, default: []].append(waiter)
    return (boarding, ticks[tick]?.count == 1)
  }

  /// Ends a flight, and gives those who wait for it; whoever comes now leads anew.
  mutating func land(_ key: Key) -> [Waiter] { flights.removeValue(forKey: key) ?? [] }

  /// Ends a tick, and gives those whose deadline it was.
  mutating func expire(_ tick: Int64) -> [Waiter] { ticks.removeValue(forKey: tick) ?? [] }
}
