/// The charts of one scenario.
struct ScenarioCharts {
  private let result: ScenarioResult

  /// Of what a scenario found.
  init(_ result: ScenarioResult) { self.result = result }

  /// All of them in their order; empty where nothing was recorded.
  var all: [LineChart] { percentiles + overTime + usage }

  /// Latency by percentile, one line for each kind of request.
  private var percentiles: [LineChart] {
    let lines = result.curves.map { curve in
      // The slowest answer has no percentile of its own: it stands where one answer in `count` is left.
      let last = 1 - 1 / Double(max(curve.count, 2))
      return LineChart.Line(
        name: curve.name, summary: Self.summary(curve), points: curve.points.map { (min($0.share, last), $0.seconds) })
    }
    return chart(
      "Latency by percentile", "share of answers that are no slower", lines, x: .percentile, y: .logarithmic,
      label: Self.seconds)
  }

  /// Latency over the run's time, a chart for each kind of request.
  private var overTime: [LineChart] {
    result.timelines.flatMap { timeline in
      let parts: [(String, (LatencyTimeline.Stretch) -> Double)] = [
        ("median", \.p50), ("p99", \.p99), ("slowest", \.slowest),
      ]
      let lines = parts.map { name, value in
        let values = timeline.stretches.map(value)
        return LineChart.Line(
          name: name, summary: Self.range(values, Text.seconds), points: timeline.stretches.map { ($0.at, value($0)) })
      }
      return chart(
        "Latency over time: \(timeline.name)", "seconds since the load began", lines, y: .logarithmic,
        label: Self.seconds)
    }
  }

  /// CPU and memory of the server and its workers over time.
  private var usage: [LineChart] {
    func lines(
      _ server: @escaping (ScenarioResult.UsageSample) -> Double,
      _ workers: @escaping (ScenarioResult.UsageSample) -> Double,
      _ text: (Double) -> String
    ) -> [LineChart.Line] {
      [("server", server), ("workers", workers)].map { name, value in
        LineChart.Line(
          name: name, summary: Self.range(result.usage.map(value), text),
          points: result.usage.map { ($0.at, value($0)) })
      }
    }
    return chart(
      "Processor", "seconds since the server's start",
      lines(\.serverCores, \.workerCores) { "\(Text.digits($0)) cores" }, label: Self.short)
      + chart(
        "Private memory", "seconds since the server's start",
        lines({ Double($0.serverBytes) }, { Double($0.workerBytes) }, Text.bytes), label: Self.bytes)
  }

  /// One chart; none where no line has a point.
  private func chart(
    _ title: String, _ across: String, _ lines: [LineChart.Line], x: ChartAxis.Scale = .linear,
    y: ChartAxis.Scale = .linear, label: @escaping (Double) -> String
  ) -> [LineChart] {
    let points = lines.flatMap(\.points)
    guard !points.isEmpty else { return [] }
    return [
      LineChart(
        title: title, across: across, lines: lines, x: ChartAxis(x, of: points.map(\.x), label: Self.short),
        y: ChartAxis(y, of: points.map(\.y), label: label))
    ]
  }

  private static func summary(_ curve: ScenarioResult.Curve) -> String {
    func at(_ share: Double) -> String { Text.seconds(seconds(at: share, of: curve.points)) }
    return "median \(at(0.5)), p99 \(at(0.99)), slowest \(at(1)) of \(curve.count)"
  }

  /// Between its points a curve is taken as straight.
  private static func seconds(at share: Double, of points: [ScenarioResult.Curve.Point]) -> Double {
    guard let next = points.firstIndex(where: { $0.share >= share }) else { return points.last?.seconds ?? 0 }
    guard next > 0, points[next].share > points[next - 1].share else { return points[next].seconds }
    let (from, to) = (points[next - 1], points[next])
    return from.seconds + (to.seconds - from.seconds) * (share - from.share) / (to.share - from.share)
  }

  private static func range(_ values: [Double], _ text: (Double) -> String) -> String {
    guard let least = values.min(), let most = values.max() else { return "none" }
    return "\(text(least)) to \(text(most))"
  }

  private static func seconds(_ value: Double) -> String { withoutZeros(Text.seconds(value)) }
  private static func bytes(_ value: Double) -> String { withoutZeros(Text.bytes(value)) }
  private static func short(_ value: Double) -> String { withoutZeros(Text.digits(value)) }

  /// `2 ms` for `2.00 ms`: a tick is a round number.
  private static func withoutZeros(_ text: String) -> String {
    let parts = text.split(separator: " ", maxSplits: 1)
    guard var number = parts.first, number.contains(".") else { return text }
    while number.last == "0" { number = number.dropLast() }
    if number.last == "." { number = number.dropLast() }
    return ([number] + parts.dropFirst()).joined(separator: " ")
  }
}
