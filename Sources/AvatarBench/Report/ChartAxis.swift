import Glibc

/// One axis of a chart: from values to a share of its length, and where its ticks are.
struct ChartAxis {
  /// How values are spread over it.
  enum Scale {
    /// Evenly, from zero.
    case linear
    /// By their logarithm; only positive values have a place.
    case logarithmic
    /// A share by how few exceed it: 90 %, 99 % and 99.9 % are as far from each other (HdrHistogram's way).
    case percentile
  }

  /// A mark with what stands at it.
  struct Tick: Equatable {
    /// Its place, 0…1.
    let place: Double
    /// What it says.
    let label: String
  }

  let scale: Scale
  private let low: Double
  private let high: Double
  private let label: (Double) -> String

  /// An axis wide enough for all of these values; what has no place on it is left out of account.
  init(_ scale: Scale, of values: [Double], label: @escaping (Double) -> String) {
    self.scale = scale
    self.label = label
    let places = values.compactMap { Self.position($0, scale) }
    let (least, most) = (places.min() ?? 0, places.max() ?? 1)
    switch scale {
    case .linear: (low, high) = (0, most > 0 ? most : 1)
    case .percentile: (low, high) = (0, max(most, 1))
    case .logarithmic:
      // Out to the next 1, 2 or 5, and wide enough that a quiet run's line does not look like mountains.
      let (from, to) = (Self.step(least, up: false), Self.step(most, up: true))
      (low, high) = to - from < 0.6 ? (Self.step(from - 0.2, up: false), Self.step(to + 0.2, up: true)) : (from, to)
    }
  }

  /// Where a value is, 0…1; nil where it has no place.
  func place(_ value: Double) -> Double? {
    Self.position(value, scale).map { min(max(($0 - low) / (high - low), 0), 1) }
  }

  /// Its marks, at most about eight.
  var ticks: [Tick] {
    switch scale {
    case .linear: linearTicks
    case .logarithmic: logarithmicTicks
    case .percentile: percentileTicks
    }
  }

  private var linearTicks: [Tick] {
    // Bytes are counted by powers of two.
    let unit = high >= 1_048_576 ? 1_048_576.0 : 1
    let step = pow(10, Self.step(log10(high / unit / 5), up: true)) * unit
    return stride(from: 0, through: high * 1.000_001, by: step).map { Tick(place: $0 / high, label: label($0)) }
  }

  private var logarithmicTicks: [Tick] {
    let multiples: [Double] = high - low > 3 ? [1] : [1, 2, 5]
    var ticks: [Tick] = []
    for power in Int(low.rounded(.down))...Int(high.rounded(.up)) {
      for multiple in multiples {
        let position = log10(multiple) + Double(power)
        guard position >= low - 1e-9, position <= high + 1e-9 else { continue }
        ticks.append(Tick(place: (position - low) / (high - low), label: label(multiple * pow(10, Double(power)))))
      }
    }
    return ticks
  }

  private var percentileTicks: [Tick] {
    let half = Tick(place: log10(2) / high, label: "50 %")
    var ticks = [Tick(place: 0, label: "0"), half]
    for nines in stride(from: 1, through: Int(high.rounded(.down)), by: 1) {
      let label = nines == 1 ? "90 %" : nines == 2 ? "99 %" : "99.\(String(repeating: "9", count: nines - 2)) %"
      ticks.append(Tick(place: Double(nines) / high, label: label))
    }
    return ticks
  }

  private static func position(_ value: Double, _ scale: Scale) -> Double? {
    guard value.isFinite else { return nil }
    switch scale {
    case .linear: return value
    case .logarithmic: return value > 0 ? log10(value) : nil
    case .percentile: return value >= 0 && value < 1 ? -log10(1 - value) : nil
    }
  }

  /// The logarithm of the next 1, 2 or 5 times a power of ten.
  private static func step(_ position: Double, up: Bool) -> Double {
    let power = position.rounded(.down)
    let steps = [0, log10(2), log10(5), 1].map { power + $0 }
    return up ? steps.first { $0 >= position - 1e-9 } ?? power + 1 : steps.last { $0 <= position + 1e-9 } ?? power
  }
}
