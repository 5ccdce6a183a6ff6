import AvatarBench
import Glibc

/// Standard output and standard error.
enum Terminal {
  static func out(_ text: String) { write(text, to: STDOUT_FILENO) }
  static func error(_ text: String) { write(text, to: STDERR_FILENO) }

  /// Whether a descriptor is a terminal that understands escape sequences.
  static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 && variable("TERM") != "dumb" }

  /// Colours for standard output: on a terminal, unless NO_COLOR says otherwise (no-color.org: set and not empty).
  static let paint: Paint = isTerminal(STDOUT_FILENO) && variable("NO_COLOR").isEmpty ? .ansi : .none

  private static func variable(_ name: String) -> String { getenv(name).map { String(cString: $0) } ?? "" }

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
