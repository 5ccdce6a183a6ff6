/// A command line that means nothing: exit 2 and one line on standard error.
public struct UsageError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The exit status of a program that was called wrongly.
  public static let exitStatus: Int32 = 2
  /// What is wrong, without the program's name.
  public let message: String
  /// The command whose help says more; nil for the program's.
  public let command: String?

  /// The one line: `avatar-server: unknown option --x (see 'avatar-server serve --help')`. No control characters, at most
  /// some 500 characters.
  public var description: String {
    let clean = message.unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 }
    let text = String(String.UnicodeScalarView(clean))
    let program = ["avatar-server", command, "--help"].compactMap { $0 }.joined(separator: " ")
    return "avatar-server: \(text.count > 400 ? text.prefix(400) + "…" : text) (see '\(program)')"
  }
}
