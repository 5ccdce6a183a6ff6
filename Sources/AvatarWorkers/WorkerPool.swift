public import AvatarCore

/// Confined worker processes that turn sources into avatars: warm, bounded, replaced when they die.
///
/// One named thread owns all workers (`Supervisor`); callers queue a job and are resumed. Untrusted pixels are decoded in the workers
/// only, and nothing that a worker says is believed before it is checked.
public final class WorkerPool: AvatarNormalizing {
  private let options: WorkerPoolOptions
  private let state: PoolState

  /// A pool that has not started; throws `internal` where the machine has no descriptor left.
  public init(_ options: WorkerPoolOptions) throws(AvatarError) {
    self.options = options
    do {
      state = try PoolState(capacity: options.queue)
    } catch {
      throw error.avatarError
    }
  }

  deinit { requestStop() }

  /// Starts the workers and returns once the first is warm and confined.
  ///
  /// Throws `internal` with the reason when three starts in a row have failed: no such program, a crash, or a confinement that is
  /// required and not possible here; or when the pool is stopped meanwhile. Otherwise it goes on trying all the same, at least once
  /// a second, until `stop`. To be called once.
  public func start() async throws(AvatarError) {
    do {
      let supervisor = try Supervisor(options: options, state: state)
      try supervisor.start()
    } catch {
      throw error.avatarError
    }
    let readiness = await withCheckedContinuation { continuation in
      let settled: WorkerReadiness? = state.withLock { intake in
        if intake.statistics.readiness == .starting {
          intake.starters.append(continuation)
          return nil
        }
        return intake.statistics.readiness
      }
      if let settled { continuation.resume(returning: settled) }
    }
    if case .unready(let reason) = readiness { throw AvatarError(.internalFault, reason) }
  }

  /// Has one image normalized; see `AvatarNormalizing`. A caller that is cancelled while waiting leaves with `budget_exceeded`; once a
  /// worker has the image, it is finished and given.
  public func normalize(
    _ source: SourceBytes, recipe: Recipe, limits: ImageLimits, priority: WorkPriority, deadline: Deadline
  ) async throws(AvatarError) -> NormalizedAvatar {
    guard !source.isEmpty else { throw AvatarError(.sourceEmpty) }
    guard source.count <= WorkerMessage.maximumSourceBytes else {
      throw AvatarError(.sourceTooLarge, "\(source.count) bytes")
    }
    let number = state.withLock { intake in
      intake.nextNumber += 1
      return intake.nextNumber
    }
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        admit(
          WorkerJob(
            number: number, source: source, recipe: recipe, limits: limits, priority: priority, deadline: deadline,
            enqueuedAt: .now, answer: continuation))
      }
    } onCancel: {
      withdraw(number)
    }
    return try outcome.get()
  }

  /// State and counters, at most one turn of the supervisor old; cheap.
  public func statistics() -> WorkerStatistics {
    state.withLock { intake in
      var statistics = intake.statistics
      statistics.queued = intake.queue.count
      return statistics
    }
  }

  /// Ends all workers, refuses what waits and what is in hand with `overloaded`, and returns when the last process is gone.
  public func stop() async {
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { intake in
        intake.isStopping = true
        // Without a supervisor there is nothing to wait for.
        if intake.hasStopped || intake.statistics.count == 0 { return true }
        intake.stoppers.append(continuation)
        return false
      }
      state.wakeup.signal()
      if isOver { continuation.resume() }
    }
  }

  private func requestStop() {
    state.withLock { $0.isStopping = true }
    state.wakeup.signal()
  }

  private func admit(_ job: WorkerJob) {
    let refusal: AvatarError? = state.withLock { intake in
      if intake.isStopping { return Supervisor.stopping }
      // Nobody would ever take it out again.
      if intake.statistics.count == 0 {
        return AvatarError(.overloaded, "the workers have not been started", retryAfter: .seconds(1))
      }
      if job.deadline.hasPassed { return AvatarError(.budgetExceeded, "no time left to wait for a worker") }
      let admission = intake.queue.enqueue(
        job, number: job.number, priority: job.priority, isLarge: job.isLarge, deadline: job.deadline,
        idle: intake.idle)
      return admission == .queued ? nil : AvatarError(.overloaded, "the worker queue is full", retryAfter: .seconds(1))
    }
    if let refusal { job.settle(.failure(refusal)) } else { state.wakeup.signal() }
  }

  private func withdraw(_ number: UInt64) {
    let job = state.withLock { $0.queue.remove(number: number) }
    job?.settle(.failure(AvatarError(.budgetExceeded, "cancelled while waiting for a worker")))
  }
}
