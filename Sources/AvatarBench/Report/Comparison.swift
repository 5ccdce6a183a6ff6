/// What two runs have in common and what differs by more than the runs themselves do (`ChangeRule`).
public struct Comparison: Sendable {
  /// What became of a figure's budget.
  public enum Verdict: Int, Sendable, Comparable {
    /// It was met and is broken.
    case broken
    /// It was broken and is met.
    case mended
    /// It stands as it did.
    case same

    /// The worse first.
    public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
  }

  /// A figure that differs.
  public struct Change: Sendable, Equatable {
    /// `scenario: figure`.
    public var name: String
    /// The values.
    public var old, new: Double
    /// What is counted.
    public var unit: Figure.Unit
    /// What became of its budget.
    public var verdict: Verdict
    /// The distance that would count as nothing; a changed verdict is told even within it.
    public var margin: Double
    /// Whether the two differ by more than that.
    public var isBeyondSpread: Bool
  }

  /// Broken budgets first, then mended ones, then the rest, each in the order of the new run.
  public let changes: [Change]
  /// Figures that both runs have.
  public let compared: Int
  /// `scenario: figure` of what only the old run has in the scenarios of both; a figure whose unit differs is in both lists.
  public private(set) var onlyOld: [String] = []
  /// The same of the new run.
  public private(set) var onlyNew: [String] = []
  /// What makes the comparison doubtful, and which scenarios only one run has.
  public private(set) var remarks: [String] = []

  /// Compares what both runs have.
  public init(old: BenchResult, new: BenchResult) {
    if old.machine != new.machine { remarks.append("The runs are of different machines.") }
    if old.seconds != new.seconds { remarks.append("The runs' measurements are of different lengths.") }
    if old.rounds != new.rounds { remarks.append("The runs have different numbers of rounds.") }
    if old.scale != new.scale { remarks.append("The runs' large caches are of different sizes.") }
    if old.seed != new.seed { remarks.append("The runs' pictures are different ones.") }
    var changes: [Change] = []
    var compared = 0
    for scenario in new.scenarios {
      guard let before = old.scenarios.first(where: { $0.name == scenario.name }) else { continue }
      for (run, side) in [("old", before), ("new", scenario)] where side.failure != nil || !side.problems.isEmpty {
        remarks.append("\(scenario.name): the \(run) run is not valid: \(side.failure ?? side.problems[0])")
      }
      onlyOld += before.figures.filter { Self.twin(of: $0, in: scenario) == nil }.map { "\(scenario.name): \($0.name)" }
      for figure in scenario.figures {
        guard let past = Self.twin(of: figure, in: before) else {
          onlyNew.append("\(scenario.name): \(figure.name)")
          continue
        }
        compared += 1
        if let change = Self.change("\(scenario.name): \(figure.name)", past, figure) { changes.append(change) }
      }
    }
    for (run, one, other) in [("old", old, new), ("new", new, old)] {
      let names = one.scenarios.map(\.name).filter { name in !other.scenarios.contains { $0.name == name } }
      if !names.isEmpty { remarks.append("Only the \(run) run has \(names.joined(separator: ", ")).") }
    }
    self.changes = [Verdict.broken, .mended, .same].flatMap { verdict in changes.filter { $0.verdict == verdict } }
    self.compared = compared
  }

  /// A line for each.
  public var text: String {
    var lines = remarks + changes.map(\.text)
    lines += onlyOld.map { "\($0): only in the old run" } + onlyNew.map { "\($0): only in the new run" }
    let count = changes.count(where: \.isBeyondSpread)
    lines.append("\(compared) figures compared, \(count) changed by more than their spread")
    return lines.map { "\($0)\n" }.joined()
  }

  private static func twin(of figure: Figure, in scenario: ScenarioResult) -> Figure? {
    scenario.figures.first { $0.name == figure.name && $0.unit == figure.unit }
  }

  /// Nil where nothing has changed.
  private static func change(_ name: String, _ old: Figure, _ new: Figure) -> Change? {
    let rule = ChangeRule(old: old, new: new)
    let verdict: Verdict = old.isMet == new.isMet ? .same : new.isMet ? .mended : .broken
    guard rule.isChanged || verdict != .same else { return nil }
    return Change(
      name: name, old: old.value, new: new.value, unit: new.unit, verdict: verdict, margin: rule.margin,
      isBeyondSpread: rule.isChanged)
  }
}

extension Comparison.Change {
  /// The new value as a share of the old one; nil where that says nothing.
  public var ratio: Double? { old > 0 && new > 0 && (new / old).isFinite ? new / old : nil }

  /// One line.
  var text: String {
    let word =
      switch verdict {
      case .broken: "BROKEN  "
      case .mended: "mended  "
      case .same: ""
      }
    let ratio = ratio.map { "× \(Text.digits($0)), " } ?? ""
    let margin = margin == 0 ? "exact" : "± \(Text.value(margin, unit))\(isBeyondSpread ? "" : " not exceeded")"
    return "\(word)\(name): \(Text.value(old, unit)) → \(Text.value(new, unit)) (\(ratio)\(margin))"
  }
}
