/// What two runs have in common and what differs.
public struct Comparison: Sendable {
  /// A figure that changed by more than the spread of either run.
  public struct Change: Sendable, Equatable {
    /// `scenario: figure`.
    public var name: String
    /// The values.
    public var old, new: Double
    /// The new one as a share of the old one.
    public var ratio: Double { old == 0 ? .infinity : new / old }
    /// How much the two runs vary by themselves, as a share.
    public var spread: Double
    /// What is counted.
    public var unit: Figure.Unit
  }

  /// In the order of the new run.
  public let changes: [Change]
  /// Figures that both runs have.
  public let compared: Int
  private let sameMachine: Bool

  /// Compares what both runs have.
  public init(old: BenchResult, new: BenchResult) {
    sameMachine = old.machine == new.machine && old.seconds == new.seconds
    var changes: [Change] = []
    var compared = 0
    for scenario in new.scenarios {
      guard let before = old.scenarios.first(where: { $0.name == scenario.name }) else { continue }
      for figure in scenario.figures {
        guard let past = before.figures.first(where: { $0.name == figure.name && $0.unit == figure.unit }) else {
          continue
        }
        compared += 1
        let spread = max(figure.spread ?? Self.assumed(figure), past.spread ?? Self.assumed(past))
        let size = max(abs(past.value), abs(figure.value))
        guard abs(figure.value - past.value) > spread * size else { continue }
        changes.append(
          Change(
            name: "\(scenario.name): \(figure.name)", old: past.value, new: figure.value, spread: spread,
            unit: figure.unit))
      }
    }
    (self.changes, self.compared) = (changes, compared)
  }

  /// One line for each change.
  public var text: String {
    var text = sameMachine ? "" : "The runs are of different machines or lengths.\n"
    for change in changes {
      let ratio = change.old == 0 ? "" : " (× \(Text.digits(change.ratio)), spread \(Text.percent(change.spread)))"
      text +=
        "\(change.name): \(Text.value(change.old, change.unit)) → \(Text.value(change.new, change.unit))\(ratio)\n"
    }
    return text + "\(compared) figures compared, \(changes.count) changed by more than their spread\n"
  }

  /// What a single measurement is taken to vary by: a count by nothing, the rest by a quarter.
  private static func assumed(_ figure: Figure) -> Double { figure.unit == .count ? 0 : 0.25 }
}
