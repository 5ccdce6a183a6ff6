import AvatarCore
import AvatarNames

extension SourceURL {
  /// Parses with the names that the service uses.
  static func sample(_ text: String) throws(AvatarError) -> SourceURL {
    try SourceURL(parsing: text, names: IDN2Names())
  }

  /// The canonical text, or the code of the refusal.
  static func outcome(_ text: String) -> String {
    do { return try sample(text).serialized } catch { return error.code.rawValue }
  }
}

/// One input and the text that is due for it; prints both when it fails.
struct Pair: Sendable, CustomStringConvertible {
  let input: String
  let due: String
  init(_ input: String, _ due: String) {
    self.input = input
    self.due = due
  }
  var description: String { "\(input.debugDescription) → \(due.debugDescription)" }
}
