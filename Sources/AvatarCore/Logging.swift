/// How much a log line matters.
public enum LogLevel: String, CaseIterable, Comparable, Sendable {
  /// Hits too.
  case debug
  /// One line a request on the control and miss paths.
  case info
  /// Something degraded.
  case warning
  /// Something is lost until somebody acts.
  case error
  /// Less important first.
  public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }
  private var rank: Int {
    switch self {
    case .debug: 0
    case .info: 1
    case .warning: 2
    case .error: 3
    }
  }
}

/// A value in a log line.
public enum LogValue: Hashable, Sendable {
  /// Text; control characters are escaped by the writer.
  case text(String)
  /// A whole number.
  case number(Int64)
  /// A measured time, written as milliseconds with a fraction.
  case duration(Duration)
  /// Yes or no.
  case flag(Bool)
}

/// One line an event, with a stable name and stable keys. Never a query string, a token or a signature.
public protocol EventLogging: Sendable {
  /// Whether a line of this level would be written, so that nobody builds one for nothing.
  func isEnabled(_ level: LogLevel) -> Bool
  /// Writes one line; never blocks for long, never fails.
  func log(_ level: LogLevel, _ event: StaticString, _ fields: [(StaticString, LogValue)])
}
