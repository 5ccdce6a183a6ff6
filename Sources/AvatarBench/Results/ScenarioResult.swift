/// What one scenario found.
public struct ScenarioResult: Sendable, Codable {
  /// Its name on the command line and in the budget file.
  public var name: String
  /// What it is about, in a sentence.
  public var story: String
  /// How long it took in seconds.
  public var seconds = 0.0
  /// Its numbers.
  public var figures: [Figure] = []
  /// Latency curves by what they are of.
  public var curves: [Curve] = []
  /// Latency over time by what it is of.
  public var timelines: [Timeline] = []
  /// CPU and memory over time.
  public var usage: [UsageSample] = []
  /// Why its numbers mean nothing, if so: the generator was the bottleneck, the machine was busy with something else.
  public var problems: [String] = []
  /// Why it did not come to its end, if so.
  public var failure: String?

  /// A curve of latencies.
  public struct Curve: Sendable, Codable {
    /// Of what.
    public var name: String
    /// Answers.
    public var count: UInt64
    /// Shares from 0 to 1, and the latency in seconds that so many answers do not exceed.
    public var points: [Point]
    /// One point.
    public struct Point: Sendable, Codable {
      /// 0…1.
      public var share: Double
      /// The latency.
      public var seconds: Double
    }
  }

  /// Latency over a run's time.
  public struct Timeline: Sendable, Codable {
    /// Of what.
    public var name: String
    /// In order.
    public var stretches: [LatencyTimeline.Stretch]
  }

  /// What the server and its workers used at a moment.
  public struct UsageSample: Sendable, Codable {
    /// Seconds from the scenario's start.
    public var at: Double
    /// Cores that the server kept busy since the last sample.
    public var serverCores: Double
    /// Cores that its workers kept busy.
    public var workerCores: Double
    /// Private memory of the server in bytes.
    public var serverBytes: Int
    /// Private memory of all its workers in bytes.
    public var workerBytes: Int
  }

  /// An empty one.
  public init(name: String, story: String) { (self.name, self.story) = (name, story) }

  /// Adds a number.
  public mutating func add(_ name: String, _ value: Double, _ unit: Figure.Unit) {
    figures.append(Figure(name, value, unit))
  }

  /// Adds a number with its rounds.
  public mutating func add(_ name: String, rounds: [Double], _ unit: Figure.Unit) {
    figures.append(Figure(name, rounds: rounds, unit))
  }

  /// Adds a run's latencies as a curve and over time.
  public mutating func show(_ outcome: LoadOutcome, as name: String) {
    curves.append(
      Curve(
        name: name, count: outcome.latency.count,
        points: outcome.latency.curve.map { .init(share: $0.share, seconds: Double($0.nanoseconds) / 1e9) }))
    timelines.append(Timeline(name: name, stretches: outcome.timeline.stretches))
  }

  /// Figures that break their budgets, of all gates or only of those that hold on any machine.
  public func broken(onlyAlways: Bool) -> [Figure] {
    figures.filter { !$0.isMet && (!onlyAlways || $0.budget?.gate == .always) }
  }
}
