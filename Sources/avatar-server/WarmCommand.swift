import AvatarCore
import AvatarService
import AvatarWorkers
import Glibc
import Synchronization

/// `warm`: has the avatars of a list made and kept, beside a running server or without one. What is fresh already is skipped.
struct WarmCommand {
  let list: Command.WarmList
  let fit: Fit
  let refresh: Bool

  func run(_ loaded: LoadedConfiguration) async throws(AvatarError) -> Int32 {
    let lines = try LineReader(list)
    let assembly = try await Assembly(loaded)
    try await assembly.pool.start()
    let tally = WarmTally()
    let width = max(4, min(assembly.configuration.fetch.concurrency, 64))
    await withTaskGroup(of: Void.self) { group in
      var running = 0
      while let line = lines.next() {
        let text = line.trimmed
        guard !text.isEmpty, !text.hasPrefix("#") else { continue }
        if running == width {
          await group.next()
          running -= 1
        }
        group.addTask { tally.note(await warm(text, assembly)) }
        running += 1
        tally.draw(read: lines.share)
      }
    }
    tally.finish()
    await assembly.close()
    return tally.hasFailures ? 1 : 0
  }

  private func warm(_ text: String, _ assembly: Assembly) async -> WarmTally.Outcome {
    let source: AvatarSource
    do {
      source = assembly.naming.source(
        try SourceURL(parsing: text, names: assembly.names), fit: fit, trusted: !assembly.signer.isEmpty)
    } catch {
      return .failed(error.code)
    }
    let terms = Terms(deadline: .after(.seconds(60)), priority: .background, refresh: refresh)
    let answer = await assembly.resolver.resolve(source, terms)
    switch answer.outcome {
    case .failure(let error, _): return .failed(error.code)
    case .avatar: return answer.origin == nil ? .fresh : .made
    }
  }
}

/// What came of the lines so far, and its line on the terminal.
final class WarmTally: Sendable {
  enum Outcome: Sendable {
    case fresh
    case made
    case failed(AvatarError.Code)
  }
  private struct State {
    var fresh = 0
    var made = 0
    var failed: [AvatarError.Code: Int] = [:]
    var drawn = ContinuousClock.now
  }
  private let state = Mutex(State())
  private let started = ContinuousClock.now

  var hasFailures: Bool { state.withLock { !$0.failed.isEmpty } }

  func note(_ outcome: Outcome) {
    state.withLock { state in
      switch outcome {
      case .fresh: state.fresh += 1
      case .made: state.made += 1
      case .failed(let code): state.failed[code, default: 0] += 1
      }
    }
  }

  /// Draws progress: in place on a terminal, a plain line every ten seconds elsewhere. `read` is the part of the file read, nil for a pipe.
  func draw(read: Double?) {
    let interval: Duration = Console.isTerminal ? .milliseconds(100) : .seconds(10)
    let now = ContinuousClock.now
    let due = state.withLock { state in
      guard now - state.drawn >= interval else { return false }
      state.drawn = now
      return true
    }
    guard due else { return }
    let seconds = max(0.001, Double((now - started).milliseconds) / 1000)
    let counts = state.withLock { ($0.fresh, $0.made, $0.failed.values.reduce(0, +)) }
    let done = counts.0 + counts.1 + counts.2
    var line =
      "\(done) done (\(counts.1) made, \(counts.0) fresh, \(counts.2) failed), \(Int(Double(done) / seconds))/s"
    if let read, read > 0.001 {
      let left = Int(seconds / read - seconds)
      let filled = Int(read * 30)
      line =
        "[\(String(repeating: "#", count: filled))\(String(repeating: ".", count: 30 - filled))] \(line), \(left) s left"
    }
    Console.write(Console.isTerminal ? "\r\u{1B}[K\(line)" : "\(line)\n", to: STDERR_FILENO)
  }

  /// Totals by code on standard output.
  func finish() {
    if Console.isTerminal { Console.write("\r\u{1B}[K", to: STDERR_FILENO) }
    let counts = state.withLock { ($0.fresh, $0.made, $0.failed) }
    Console.write("made \(counts.1)\nfresh \(counts.0)\nfailed \(counts.2.values.reduce(0, +))\n")
    for (code, count) in counts.2.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      Console.write("  \(code.rawValue) \(count)\n")
    }
  }
}
