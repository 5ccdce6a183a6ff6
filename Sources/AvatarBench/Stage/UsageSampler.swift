import AvatarCore
import Synchronization

/// Looks five times a second at what a server and its workers use.
final class UsageSampler: Sendable {
  private let state = Mutex(State())

  private struct State {
    var samples: [ScenarioResult.UsageSample] = []
    var isEnded = false
  }

  init(_ tree: ProcessTree) throws(AvatarError) {
    let begin = Nanoseconds.now
    // It holds the sampler until it is told to end, and no longer.
    try NamedThread("bench-usage") { self.sample(tree, since: begin) }.detach()
  }

  /// Ends it; what it saw.
  func stop() -> [ScenarioResult.UsageSample] {
    state.withLock { state in
      state.isEnded = true
      return state.samples
    }
  }

  private func sample(_ tree: ProcessTree, since begin: UInt64) {
    func ofWorkers(_ workers: ArraySlice<Int32>) -> UInt64 {
      workers.reduce(0) { $0 + (Nanoseconds.ofProcess($1) ?? 0) }
    }
    var last = begin
    var lastServer = Nanoseconds.ofProcess(tree.root) ?? 0
    var lastWorkers = ofWorkers(tree.processes.dropFirst())
    Pause.milliseconds(200)
    while let server = Nanoseconds.ofProcess(tree.root), !state.withLock({ $0.isEnded }) {
      let workers = tree.processes.dropFirst()
      let workerCPU = ofWorkers(workers)
      let now = Nanoseconds.now
      let span = Double(max(now - last, 1))
      let sample = ScenarioResult.UsageSample(
        at: Double(now - begin) / 1e9, serverCores: Double(server - lastServer) / span,
        // A worker that was replaced takes its time with it.
        workerCores: workerCPU > lastWorkers ? Double(workerCPU - lastWorkers) / span : 0,
        serverBytes: tree.rootMemory, workerBytes: workers.reduce(0) { $0 + ProcessTree.privateMemory($1) })
      state.withLock { if $0.samples.count < 20_000 { $0.samples.append(sample) } }
      (last, lastServer, lastWorkers) = (now, server, workerCPU)
      Pause.milliseconds(200)
    }
  }
}
