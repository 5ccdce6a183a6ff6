public import AvatarCore

/// What a command that needs no service prints and ends with.
public struct CommandResult: Equatable, Sendable {
  /// For standard output, with its line feeds.
  public var output: String
  /// For standard error, with its line feeds.
  public var complaint: String
  /// The process's exit status.
  public var exitStatus: Int32

  /// Makes a result.
  public init(output: String = "", complaint: String = "", exitStatus: Int32 = 0) {
    self.output = output
    self.complaint = complaint
    self.exitStatus = exitStatus
  }

  /// A wrong usage: one line, exit 2.
  public init(_ error: UsageError) {
    self.init(complaint: "\(error)\n", exitStatus: UsageError.exitStatus)
  }

  /// Every fault of a configuration, a line each, exit 78.
  public init(_ error: ConfigurationFaults) {
    let count = error.faults.count
    let head = "avatar-server: the configuration has \(count == 1 ? "a fault" : "\(count) faults"):\n"
    self.init(
      complaint: head + error.faults.map { "  \($0)\n" }.joined(), exitStatus: ConfigurationFaults.exitStatus)
  }

  /// `check`: the values in effect, with warnings on standard error; or the sample file.
  public static func check(_ invocation: Invocation, environment: [String: String]) -> CommandResult {
    if invocation.command == .check(defaults: true) { return CommandResult(output: ConfigurationText.sample) }
    do {
      let loaded = try invocation.loadConfiguration(environment: environment)
      return CommandResult(
        output: ConfigurationText.effective(loaded),
        complaint: loaded.warnings.map { "avatar-server: warning: \($0)\n" }.joined())
    } catch {
      return CommandResult(error)
    }
  }
}
