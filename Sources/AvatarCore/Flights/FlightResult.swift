/// Whose flight it was.
public enum FlightRole: Hashable, Sendable {
  /// This caller began it.
  case led
  /// It was under way.
  case joined
}

/// How waiting for a flight ended.
public enum FlightResult<Value> {
  /// It landed in time.
  case landed(Value, role: FlightRole)
  /// The caller's deadline passed, or the caller was cancelled; the flight goes on.
  case deadlinePassed(role: FlightRole)
  /// The table is full: nothing was begun, nothing is waited for.
  case refused
}

extension FlightResult: Sendable where Value: Sendable {}
extension FlightResult: Equatable where Value: Equatable {}
