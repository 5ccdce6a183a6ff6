public import AvatarCore
import Synchronization

/// A load run: the plan's threads from their common beginning to the last answer.
public struct LoadRun {
  private let threads: [NamedThread]
  private let outcomes: Outcomes

  /// Starts sending a little later, when every thread has its connections.
  public init(_ plan: LoadPlan) throws(AvatarError) {
    let outcomes = Outcomes()
    // Opening a connection on loopback takes some 50 µs; a second at most is waited for it.
    let begin = Nanoseconds.now + 20_000_000 + UInt64(min(plan.connections, 10_000)) * 100_000
    let count = max(1, min(plan.threads, plan.connections))
    var threads: [NamedThread] = []
    for index in 0..<count {
      threads.append(
        try NamedThread("bench-load-\(index)") {
          let loop = LoadLoop(plan: plan, begin: begin, share: (index, count))
          outcomes.add(loop.run())
        })
    }
    self.threads = threads
    self.outcomes = outcomes
  }

  /// Waits for its end.
  public func outcome() -> LoadOutcome {
    for thread in threads { thread.join() }
    return outcomes.merged
  }

  /// Runs a plan from its beginning to its end.
  public static func run(_ plan: LoadPlan) throws(AvatarError) -> LoadOutcome { try LoadRun(plan).outcome() }

  private final class Outcomes: Sendable {
    private let all = Mutex<[LoadOutcome]>([])
    func add(_ outcome: LoadOutcome) { all.withLock { $0.append(outcome) } }
    var merged: LoadOutcome {
      all.withLock { all in
        var merged = all.first ?? LoadOutcome()
        for other in all.dropFirst() { merged.merge(other) }
        return merged
      }
    }
  }
}

extension Duration {
  /// Whole nanoseconds; saturates.
  var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    return overflow ? (seconds < 0 ? .min : .max) : product &+ attoseconds / 1_000_000_000
  }
  /// Seconds as a fraction.
  var seconds: Double { Double(nanoseconds) / 1e9 }
}
