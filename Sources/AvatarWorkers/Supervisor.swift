import AvatarCore
import Glibc

/// The one thread that owns every worker: starts them, gives them images, watches their clocks, buries and replaces them.
///
/// One thread for all, rather than one each: a worker's socket, its death, its standard error and its clock are four things to wait for
/// at once, which wants a poller in any case; and the kernel ties `dies with parent` to the thread that started the process.
///
/// `@unchecked Sendable`: made on one thread, then touched only by the thread that `start` begins.
final class Supervisor: @unchecked Sendable {
  /// What a poller's token stands for, in its two lowest bits; the rest is the worker's number.
  enum Source: UInt64 { case wakeup, channel, process, output }

  let options: WorkerPoolOptions
  let state: PoolState
  let poller: Poller
  var workers: [UInt64: WorkerProcess] = [:]
  var backoff = SpawnBackoff()
  var restarts: [WorkerRestartReason: Int] = [:]
  /// Why the last worker did not become ready, until one does.
  var failure: String?
  var missing: [String] = []
  var wasEverUp = false
  private var nextNumber: UInt64 = 1
  private var isStopping = false
  private let cores = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))

  init(options: WorkerPoolOptions, state: PoolState) throws(SystemFault) {
    self.options = options
    self.state = state
    poller = try Poller()
    try poller.add(state.wakeup.number, token: Source.wakeup.rawValue)
  }

  /// Begins the thread; it ends with the pool.
  func start() throws(SystemFault) {
    let isFirst = state.withLock { intake in
      defer { intake.statistics.count = options.count }
      return intake.statistics.count == 0
    }
    precondition(isFirst, "a pool is started once")
    do {
      try NamedThread.start("avatar-workers") { [self] in ThreadTurns.serve(run) }
    } catch {
      state.withLock { $0.statistics.count = 0 }
      throw error
    }
  }

  private func run(_ turns: ThreadTurns) {
    while true {
      let now = ContinuousClock.now
      isStopping = state.withLock { $0.isStopping }
      if isStopping {
        dismissAll()
        if workers.isEmpty { break }
      } else {
        fill(now)
        retire()
        dispatch()
      }
      publish()
      turns.end()
      for event in poller.wait(until: nextMoment(now)) { attend(event) }
      enforce()
    }
    // Who still waits for a start that will not come is told so.
    failure = failure ?? "the workers are stopping"
    wasEverUp = true
    publish()
    let stoppers = state.withLock { intake in
      intake.hasStopped = true
      defer { intake.stoppers = [] }
      return intake.stoppers
    }
    for stopper in stoppers { stopper.resume() }
  }

  /// Starts what is missing, and a worker more where an image needs a fresh one and none is coming.
  private func fill(_ now: ContinuousClock.Instant) {
    startMissing(now)
    if provideForRetries() { startMissing(now) }
  }

  /// Starts workers up to the number wanted, unless starts have failed lately.
  private func startMissing(_ now: ContinuousClock.Instant) {
    // One that is dying counts until it is buried: its image is queued again by then, and the successor is there for that first.
    var present = workers.values.count { !$0.isRetiring }
    while present < options.count, backoff.wait(now: now) == nil {
      do {
        let worker = try WorkerProcess(number: nextNumber, options: options, now: now)
        nextNumber += 1
        try poller.add(worker.channel.number, token: token(worker, .channel))
        try poller.add(worker.process.number, token: token(worker, .process))
        if let output = worker.output { try poller.add(output.number, token: token(worker, .output)) }
        workers[worker.number] = worker
        present += 1
      } catch {
        startFailed("\(error.description): \(options.executable)")
      }
    }
  }

  /// Gives idle workers what waits. Neither background work nor large pictures ever hold all of them: a photo from a phone keeps no
  /// small avatar waiting, and leaves a core to the hits.
  private func dispatch() {
    let most = max(1, options.count - 1)
    var background = workers.values.count { $0.assignment?.job.priority == .background }
    var large = workers.values.count { $0.assignment?.job.isLarge == true }
    let idle = workers.values.filter { $0.isIdle }
    var free = idle.count
    for worker in idle {
      let (mayTakeBackground, mayTakeLarge) = (background < most, large < most)
      let isFresh = worker.served == 0
      let job = state.withLock { intake in
        let job = intake.queue.next(
          isFresh: isFresh, mayTakeBackground: mayTakeBackground, mayTakeLarge: mayTakeLarge)
        if job != nil { free -= 1 }
        intake.idle = free
        return job
      }
      guard let job else { continue }
      if job.priority == .background { background += 1 }
      if job.isLarge { large += 1 }
      assign(job, to: worker)
    }
    if idle.isEmpty { state.withLock { $0.idle = 0 } }
  }

  private func assign(_ job: WorkerJob, to worker: WorkerProcess) {
    let now = ContinuousClock.now
    var job = job
    if job.queued == nil { job.queued = now - job.enqueuedAt }
    let clock = DecodeClock(limit: job.limits.decodeTimeout, now: now, cpu: worker.cpu(), threads: cores)
    worker.served += 1
    worker.state = .busy(.init(job: job, clock: clock, lookAgain: clock.firstLook))
    let request = WorkerRequest(recipe: job.recipe, limits: job.limits, sourceBytes: job.source.count)
    worker.channel.begin(
      WorkerMessage.request(request).bytes(sequence: UInt32(truncatingIfNeeded: job.number)), job.source)
    pump(worker)
  }

  /// Sends what the kernel takes, and asks to be told of more room where it does not take all.
  func pump(_ worker: WorkerProcess) {
    switch worker.channel.send() {
    case .done: poller.watch(worker.channel.number, token: token(worker, .channel), forWriting: false)
    case .blocked: poller.watch(worker.channel.number, token: token(worker, .channel), forWriting: true)
    case .closed: break  // Its death is about to be told.
    }
  }

  private func dismissAll() {
    let waiting = state.withLock { $0.queue.removeAll() }
    for job in waiting { job.settle(.failure(Self.stopping)) }
    for worker in workers.values { worker.end(.dismissed) }
  }

  /// What those in the queue and in hand get when the pool stops.
  static let stopping = AvatarError(.overloaded, "the workers are stopping", retryAfter: .seconds(1))

  /// When something is to be looked at though nothing happens. `now` is the moment that `fill` judged by: with a later one, a wait that ends in
  /// between would be nobody's.
  private func nextMoment(_ now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
    var moments = workers.values.compactMap { worker -> ContinuousClock.Instant? in
      if let goneBy = worker.goneBy { return goneBy }
      if worker.isLeaving { return nil }
      switch worker.state {
      case .starting(let until): return until
      case .busy(let assignment): return assignment.lookAgain
      case .idle: return nil
      }
    }
    if !isStopping {
      if let wait = backoff.wait(now: now) { moments.append(wait) }
      if let expiry = state.withLock({ $0.queue.nextExpiry }) { moments.append(expiry.instant) }
    }
    return moments.min()
  }

  func token(_ worker: WorkerProcess, _ source: Source) -> UInt64 { worker.number << 2 | source.rawValue }
}
