import AvatarBench
import AvatarCore
import Glibc
import Synchronization

/// Says on standard error what is going on: on a terminal one line that counts the seconds of its step, elsewhere a line for each step.
final class LiveProgress: BenchProgress {
  private let isTerminal = Terminal.isTerminal(STDERR_FILENO)
  private let step = Mutex<Step?>(nil)

  private struct Step {
    let line: String
    let begun = ContinuousClock.now
  }

  init() {
    guard isTerminal else { return }
    // Without it the line stands still, and nothing else is lost.
    let ticker = try? NamedThread("bench-progress") { [weak self] in
      while let self {
        self.step.withLock { step in if let step { Self.show(step) } }
        var half = timespec(tv_sec: 0, tv_nsec: 500_000_000)
        nanosleep(&half, nil)
      }
    }
    ticker?.detach()
  }

  func step(_ scenario: String, _ text: String) {
    let next = Step(line: "\(scenario): \(text)")
    step.withLock { step in
      guard step?.line != next.line else { return }
      step = next
      if isTerminal { Self.show(next) } else { Terminal.error("\(next.line)\n") }
    }
  }

  func ended(_ result: ScenarioResult) {
    // Under the lock, so that no tick comes between the lines of the table.
    step.withLock { step in
      step = nil
      if isTerminal { Terminal.error("\r\u{1B}[K") }
      Terminal.out(TableReport.text(result, paint: Terminal.paint) + "\n")
    }
  }

  /// Writes over the line, with the terminal's wrapping off meanwhile: a line longer than the terminal is wide is cut, not continued.
  private static func show(_ step: Step) {
    let seconds = (ContinuousClock.now - step.begun).components.seconds
    Terminal.error("\r\u{1B}[?7l\u{1B}[K\(step.line)\(seconds > 0 ? "  \(seconds) s" : "")\u{1B}[?7h")
  }
}
