import AvatarCore

/// What comes from the workers: messages, deaths, lines, and clocks that have run out.
extension Supervisor {
  func attend(_ event: Poller.Event) {
    guard let source = Source(rawValue: event.token & 3) else { return }
    if source == .wakeup { return state.wakeup.drain() }
    // Gone already, by an earlier event of the same batch.
    guard let worker = workers[event.token >> 2] else { return }
    switch source {
    case .wakeup: break
    case .channel:
      if event.isWritable && worker.channel.isSending { pump(worker) }
      if event.isReadable || event.hasEnded { listen(worker) }
    case .process:
      // An answer that was sent before the death counts.
      listen(worker)
      if let death = worker.reap() { bury(worker, death) }
    case .output: relay(worker)
    }
  }

  /// Deadlines in the queue, starts that take too long, images past their time, sockets closed without a death.
  func enforce() {
    let now = ContinuousClock.now
    let expired = state.withLock { $0.queue.expire(now: now) }
    for job in expired { job.settle(.failure(AvatarError(.budgetExceeded, "no worker was free in time"))) }
    for worker in workers.values {
      if let goneBy = worker.goneBy, goneBy <= now {
        // A dying process needs the CPU to die, and gets little of it on a busy machine.
        if worker.isExiting && !worker.hadMoreTime {
          worker.hadMoreTime = true
          worker.goneBy = now + .seconds(10)
        } else {
          worker.goneBy = nil
          worker.end(.protocolBroken("closed its socket and lived on"))
        }
      }
      guard !worker.isLeaving else { continue }
      switch worker.state {
      case .idle: break
      case .starting(let until):
        if until <= now { worker.end(.unfit("not ready within \(options.startTimeout.milliseconds) ms")) }
      case .busy(var assignment):
        guard assignment.lookAgain <= now else { break }
        switch assignment.clock.ruling(now: now, cpu: worker.cpu()) {
        case .timedOut: worker.end(.timedOut)
        case .starved: worker.end(.starved)
        case .goOn(let lookAgain):
          assignment.lookAgain = lookAgain
          worker.state = .busy(assignment)
        }
      }
    }
  }

  private func listen(_ worker: WorkerProcess) {
    do {
      while !worker.isLeaving {
        switch try worker.channel.receive() {
        case .message(let message, let sequence): try take(message, sequence: sequence, from: worker)
        case .nothing: return
        case .closed:
          // The kernel closes a dying process's socket before it tells of the death, which then says why.
          worker.goneBy = .now + .seconds(1)
          poller.remove(worker.channel.number)
        }
      }
    } catch {
      worker.end(.protocolBroken(error.reason))
    }
  }

  private func take(_ message: WorkerMessage, sequence: UInt32, from worker: WorkerProcess) throws(WorkerMessageFault) {
    if case .starting = worker.state {
      guard case .ready(let report) = message else { throw WorkerMessageFault("an answer before being ready") }
      return welcome(worker, report)
    }
    guard let assignment = worker.assignment else { throw WorkerMessageFault("an answer that nobody asked for") }
    let job = assignment.job
    guard sequence == UInt32(truncatingIfNeeded: job.number), !worker.channel.isSending else {
      throw WorkerMessageFault("an answer to something else")
    }
    switch message {
    case .ready, .request: throw WorkerMessageFault("not an answer")
    case .refusal(let error): finish(worker, job, .failure(error))
    case .avatar(let jpeg, let facts):
      try FinishedJPEG.check(jpeg, size: job.recipe.size)
      let decoded = assignment.clock.used(cpu: worker.cpu())
      let avatar = NormalizedAvatar(jpeg: jpeg, facts: facts, queued: job.queued ?? .zero, decoded: decoded)
      finish(worker, job, .success(avatar))
    }
  }

  private func welcome(_ worker: WorkerProcess, _ report: ConfinementReport) {
    if options.confinement == .required && !report.holds {
      let reasons = report.missing.filter(\.isRequired).map(\.name).joined(separator: ", ")
      return worker.end(
        .unfit("the confinement failed: \(reasons) [\(report.missingDescriptions.joined(separator: ", "))]"))
    }
    let descriptions = report.missingDescriptions
    if descriptions != missing {
      missing = descriptions
      options.log.log(
        report.holds ? .info : .warning, "worker_confinement_incomplete",
        [("missing", .text(descriptions.joined(separator: ", ")))])
    }
    worker.state = .idle
    worker.wasReady = true
    worker.memoryAtStart = worker.residentBytes() ?? 0
    failure = nil
    backoff.succeed()
  }

  private func finish(_ worker: WorkerProcess, _ job: WorkerJob, _ outcome: WorkerJob.Outcome) {
    worker.state = .idle
    job.settle(outcome)
    considerRetiring(worker)
  }

  private func relay(_ worker: WorkerProcess) {
    guard let output = worker.output else { return }
    let (lines, isOpen) = output.read()
    if let last = lines.last { worker.lastLine = last }
    for line in lines {
      options.log.log(
        .warning, "worker_output", [("worker", .number(Int64(worker.processNumber))), ("text", .text(line))])
    }
    // Closing it makes whatever it goes on writing fail at its end.
    if !isOpen { worker.output = nil }
  }

  private func bury(_ worker: WorkerProcess, _ death: WorkerDeath) {
    relay(worker)
    workers[worker.number] = nil
    let stops = state.withLock { $0.isStopping }
    if !stops {
      restarts[death.reason, default: 0] += 1
      if !death.wasReady {
        startFailed(death.description + (worker.lastLine.map { ": \($0)" } ?? ""))
      } else if death.verdict != .dismissed {
        options.log.log(
          .warning, "worker_ended",
          [
            ("worker", .number(Int64(worker.processNumber))), ("reason", .text(death.reason.rawValue)),
            ("how", .text(death.description)), ("busy", .flag(worker.assignment != nil)),
          ])
      }
    }
    guard var job = worker.assignment?.job else { return }
    // Whoever learns of the end can count the deaths.
    publish()
    if stops { return job.settle(.failure(Self.stopping)) }
    job.deaths.append(death)
    if let error = WorkerJob.verdict(after: job.deaths, deadline: job.deadline) {
      return job.settle(.failure(error))
    }
    let retry = job
    state.withLock { $0.queue.enqueueRetry(retry, number: retry.number, deadline: retry.deadline) }
  }
}
