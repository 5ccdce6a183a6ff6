/// When a figure of two runs counts as changed, and not merely as measured twice.
///
/// - A **count that has a budget** is exact: any difference is a change. Counts without one (evictions, messages) say how much happened in the time there
///   was, and are held to the rule for single values.
/// - A **figure with rounds in both runs** has changed where the two runs' rounds do not overlap, and its medians differ by more than the wider of the two
///   ranges and by more than 3 %: rounds of one run share a process, so two runs differ a little more than the rounds of either.
/// - A **single value** has no spread of its own. It is taken to vary by 25 % (bytes and ratios: 10 %) of the larger value; rounds on one side alone do not
///   make that less.
/// - Where a value is **zero or negative**, as in what is left of an allowance, its size says nothing about its spread: a fixed distance decides
///   (5 ms, 4 MiB, 0.05 of a ratio, 1 of anything else).
/// - What is **no finite number** has changed where the other is not the same.
struct ChangeRule {
  let old: Figure
  let new: Figure

  /// Whether the two differ by more than can be the runs' own doing.
  var isChanged: Bool {
    guard old.value.isFinite, new.value.isFinite else {
      return !(old.value == new.value || (old.value.isNaN && new.value.isNaN))
    }
    if isExact { return old.value != new.value }
    if let ranges, ranges.old.overlaps(ranges.new) { return false }
    return abs(new.value - old.value) > margin
  }

  /// The distance between the two that counts as nothing, in the figure's unit.
  var margin: Double {
    if isExact { return 0 }
    if old.value <= 0 || new.value <= 0 { return distance }
    let size = max(old.value, new.value)
    guard let ranges else {
      return max(assumed * size, Self.width(Self.range(old) ?? 0...0), Self.width(Self.range(new) ?? 0...0))
    }
    return max(0.03 * size, Self.width(ranges.old), Self.width(ranges.new))
  }

  private var isExact: Bool { new.unit == .count && (new.budget != nil || old.budget != nil) }

  private var ranges: (old: ClosedRange<Double>, new: ClosedRange<Double>)? {
    guard let old = Self.range(old), let new = Self.range(new) else { return nil }
    return (old, new)
  }

  /// What a single value is taken to vary by, as a share.
  private var assumed: Double { new.unit == .bytes || new.unit == .ratio ? 0.1 : 0.25 }

  private var distance: Double {
    switch new.unit {
    case .seconds: 0.005
    case .bytes: 4 * 1_048_576
    case .ratio: 0.05
    case .count, .perSecond, .decibels: 1
    }
  }

  private static func range(_ figure: Figure) -> ClosedRange<Double>? {
    guard figure.rounds.count > 1, figure.rounds.allSatisfy(\.isFinite), let least = figure.rounds.min(),
      let most = figure.rounds.max()
    else { return nil }
    return least...most
  }

  private static func width(_ range: ClosedRange<Double>) -> Double { range.upperBound - range.lowerBound }
}
