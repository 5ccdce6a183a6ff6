/// One number that a scenario found, and what its budget makes of it.
public struct Figure: Sendable, Codable, Equatable {
  /// What a figure's number counts.
  public enum Unit: String, Sendable, Codable {
    /// Seconds.
    case seconds
    /// A quotient of two like things.
    case ratio
    /// A count of whole things.
    case count
    /// Bytes.
    case bytes
    /// A number a second.
    case perSecond
    /// Decibels.
    case decibels
  }

  /// Its name in the budget file, such as `p99`.
  public var name: String
  /// The median of its rounds, or the one value.
  public var value: Double
  /// What it counts.
  public var unit: Unit
  /// What each round found; empty for a figure that has no rounds.
  public var rounds: [Double]
  /// The budget, if there is one.
  public var budget: Budget?

  /// A figure of one value.
  public init(_ name: String, _ value: Double, _ unit: Unit) {
    (self.name, self.value, self.unit) = (name, value, unit)
    rounds = []
  }

  /// A figure of several rounds: their median.
  public init(_ name: String, rounds: [Double], _ unit: Unit) {
    (self.name, self.unit, self.rounds) = (name, unit, rounds)
    value = Self.median(rounds)
  }

  /// Half the distance between its largest and its smallest round, as a share of its value; nil without rounds.
  public var spread: Double? {
    guard rounds.count > 1, value != 0, let least = rounds.min(), let most = rounds.max() else { return nil }
    return (most - least) / 2 / abs(value)
  }

  /// Whether it keeps its budget; true where it has none.
  public var isMet: Bool { budget?.isMet(by: value) ?? true }

  /// The middle value, or the mean of the two; 0 of none.
  public static func median(_ values: [Double]) -> Double {
    let ordered = values.sorted()
    guard !ordered.isEmpty else { return 0 }
    let middle = ordered.count / 2
    return ordered.count % 2 == 1 ? ordered[middle] : (ordered[middle - 1] + ordered[middle]) / 2
  }
}

/// What a figure may be.
public struct Budget: Sendable, Codable, Equatable {
  /// What it depends on.
  public enum Gate: String, Sendable, Codable {
    /// Holds on any machine: counts, and answers within the request budget. Gates CI.
    case always
    /// Depends on the machine: latencies and ratios.
    case machine
  }

  /// The most it may be, in the figure's unit.
  public var most: Double?
  /// The least it may be.
  public var least: Double?
  /// What it depends on.
  public var gate: Gate

  /// A budget.
  public init(most: Double? = nil, least: Double? = nil, gate: Gate = .machine) {
    (self.most, self.least, self.gate) = (most, least, gate)
  }

  /// Whether a value keeps it; what is no number does not.
  public func isMet(by value: Double) -> Bool {
    if value.isNaN { return false }
    if let most, value > most { return false }
    if let least, value < least { return false }
    return true
  }
}
