/// What a load run saw.
public struct LoadOutcome: Sendable {
  /// Latencies of right answers.
  public var latency = LatencyHistogram()
  /// Latencies over the run's time.
  public var timeline: LatencyTimeline
  /// Answers by status, right and wrong ones.
  public var statuses: [Int: Int] = [:]
  /// Right answers that said of themselves that they were hits.
  public var hits = 0
  /// Answers with a status that was not expected.
  public var wrong = 0
  /// Requests without a whole answer, by what happened.
  public var failures: [Failure: Int] = [:]
  /// How late requests were sent though a connection was free: the generator's own fault, in nanoseconds.
  public var lag = LatencyHistogram()
  /// Bytes of bodies.
  public var bytes = 0
  /// CPU time of the sending threads in nanoseconds.
  public var generatorCPU: UInt64 = 0
  /// From the first moment to the last answer in nanoseconds.
  public var elapsed: UInt64 = 0

  /// Why a request has no answer.
  public enum Failure: String, Sendable, CaseIterable, Codable {
    /// No connection.
    case connect
    /// The connection ended or was reset first.
    case closed
    /// What came is no HTTP.
    case malformed
    /// Nothing whole within the answer limit, or no free connection until the end.
    case late
  }

  /// An empty one.
  public init(interval: UInt64 = 100_000_000) { timeline = LatencyTimeline(interval: interval) }

  /// Right answers.
  public var answers: Int { Int(latency.count) }
  /// Requests that failed or were answered wrongly.
  public var faults: Int { wrong + failures.values.reduce(0, +) }
  /// Everything that was asked.
  public var requests: Int { answers + faults }
  /// Right answers a second.
  public var perSecond: Double { elapsed == 0 ? 0 : Double(answers) / (Double(elapsed) / 1e9) }
  /// The share of one thread's time that sending took, 0…1 of all its threads.
  public func generatorShare(threads: Int) -> Double {
    elapsed == 0 ? 0 : Double(generatorCPU) / Double(elapsed) / Double(max(threads, 1))
  }

  /// Takes in what another thread, or another round, saw.
  public mutating func merge(_ other: LoadOutcome) {
    latency.merge(other.latency)
    timeline.merge(other.timeline)
    statuses.merge(other.statuses, uniquingKeysWith: +)
    failures.merge(other.failures, uniquingKeysWith: +)
    lag.merge(other.lag)
    hits += other.hits
    wrong += other.wrong
    bytes += other.bytes
    generatorCPU += other.generatorCPU
    elapsed = max(elapsed, other.elapsed)
  }
}
