import AvatarCore

/// Samples of the counters, so that whoever looks sees what happens now and not only since the start; a pure value.
///
/// A sample is taken when somebody looks. What is shown covers the last ten to fifteen seconds where somebody looked meanwhile,
/// else the time since the last look, else the time since the start. Nobody looking costs nothing.
struct FigureHistory: Sendable {
  /// The counters at one moment.
  struct Sample: Sendable {
    var at: ContinuousClock.Instant
    /// Histograms' counts by bucket, in the order of `Metrics.durations`.
    var durations: [[Int]]
    /// Exchanges with origins.
    var fetches: Int
  }

  /// What happened between two samples.
  struct Change: Sendable {
    var elapsed: Duration
    var durations: [[Int]]
    var fetches: Int
  }

  private var samples: [Sample]
  private static let window = Duration.seconds(15)
  private static let spacing = Duration.milliseconds(500)

  /// Begins with the counters as they are.
  init(_ first: Sample) { samples = [first] }

  /// Takes a sample and gives what has changed since the one that it is compared with.
  mutating func look(_ sample: Sample) -> Change {
    // The oldest within the window; where all are older, the newest of them. What is before it is of no more use.
    let start = samples.firstIndex { sample.at - $0.at <= Self.window } ?? samples.count - 1
    samples.removeFirst(start)
    // Two look at once: the second still sees a span that says something.
    let base = samples[0]
    if sample.at - samples[samples.count - 1].at >= Self.spacing { samples.append(sample) }
    return Change(
      elapsed: sample.at - base.at,
      durations: zip(sample.durations, base.durations).map { now, before in zip(now, before).map { $0 - $1 } },
      fetches: sample.fetches - base.fetches)
  }
}
