import AvatarBench
import Glibc
import Synchronization

/// Standard output and standard error.
enum Terminal {
  static func out(_ text: String) { write(text, to: STDOUT_FILENO) }
  static func error(_ text: String) { write(text, to: STDERR_FILENO) }

  private static func write(_ text: String, to descriptor: Int32) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}

/// Says on standard error what is going on: one line that changes on a terminal, lines of their own elsewhere.
final class LiveProgress: BenchProgress {
  private let isTerminal = isatty(STDERR_FILENO) == 1
  private let last = Mutex("")

  func step(_ scenario: String, _ text: String) {
    let line = "\(scenario): \(text)"
    let isNew = last.withLock { last in
      defer { last = line }
      return last != line
    }
    guard isNew else { return }
    Terminal.error(isTerminal ? "\r\u{1B}[K\(line.prefix(100))" : "\(line)\n")
  }

  func ended(_ result: ScenarioResult) {
    if isTerminal { Terminal.error("\r\u{1B}[K") }
    Terminal.out(TableReport.text(result) + "\n")
  }
}
