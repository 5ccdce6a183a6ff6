import AvatarCore

/// Who leaves, who could not come, and what the outside is told of it.
extension Supervisor {
  /// Notes a worker that did not become ready or could not be started at all.
  func startFailed(_ reason: String) {
    failure = reason
    backoff.fail(now: .now)
    if backoff.isWorthALine {
      options.log.log(
        .error, "worker_start_failed", [("reason", .text(reason)), ("failures", .number(Int64(backoff.failures)))])
    }
  }

  /// After an answer: whether the worker holds too much memory at rest or nears the end of its CPU time. One at a time.
  func considerRetiring(_ worker: WorkerProcess) {
    guard !workers.values.contains(where: \.isRetiring) else { return }
    if worker.cpu() > options.lifetimeCPU {
      worker.isRetiring = true
    } else if worker.served % 16 == 0, let resident = worker.residentBytes() {
      // A decoder whose code alone fills the bound must not be replaced for ever.
      let bound = max(options.restingMemoryBytes, worker.memoryAtStart + 16 << 20)
      worker.isRetiring = resident > bound
    }
  }

  /// Marks a worker to be replaced where an image that has cost a worker waits for a fresh one and, all places being taken, none would come:
  /// the successor has been given something else already. Says whether it did.
  func provideForRetries() -> Bool {
    guard state.withLock({ $0.queue.hasRetries }), workers.count >= options.count,
      !workers.values.contains(where: { $0.served == 0 || $0.isRetiring || $0.isLeaving }),
      let worker = workers.values.first
    else { return false }
    worker.isRetiring = true
    return true
  }

  /// Lets a retiring worker go once the others are all up without it and it has nothing in hand.
  func retire() {
    guard workers.values.contains(where: \.isRetiring) else { return }
    let others = workers.values.count { $0.wasReady && !$0.isLeaving && !$0.isRetiring }
    guard others >= options.count else { return }
    for worker in workers.values where worker.isRetiring && worker.isIdle { worker.end(.dismissed) }
  }

  /// Shows the present state, and wakes those who wait for the first verdict on the start.
  func publish() {
    let up = workers.values.filter { $0.wasReady && !$0.isLeaving }
    let readiness: WorkerReadiness =
      if !up.isEmpty {
        .ready(missing: missing)
      } else if let failure, backoff.failures >= 3 || wasEverUp {
        .unready(reason: failure)
      } else if wasEverUp {
        .unready(reason: "the last worker has died and its successor is not up yet")
      } else {
        .starting
      }
    if !up.isEmpty { wasEverUp = true }
    let busy = up.count { $0.assignment != nil }
    let starters = state.withLock { intake in
      intake.statistics.up = up.count
      intake.statistics.busy = busy
      intake.statistics.restarts = restarts
      intake.statistics.processes = up.map(\.processNumber).sorted()
      intake.statistics.readiness = readiness
      if readiness == .starting { return [] as [CheckedContinuation<WorkerReadiness, Never>] }
      defer { intake.starters = [] }
      return intake.starters
    }
    for starter in starters { starter.resume(returning: readiness) }
  }
}
