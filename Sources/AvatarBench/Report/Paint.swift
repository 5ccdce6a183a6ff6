/// Colours for a terminal, or none.
public enum Paint: Sendable {
  /// Plain text.
  case none
  /// Escape sequences of the eight colours that every terminal has.
  case ansi

  /// What is as it should be.
  func good(_ text: String) -> String { coloured(text, 32) }
  /// What is not.
  func bad(_ text: String) -> String { coloured(text, 31) }
  /// What says nothing.
  func odd(_ text: String) -> String { coloured(text, 33) }

  private func coloured(_ text: String, _ colour: Int) -> String {
    self == .none ? text : "\u{1B}[\(colour)m\(text)\u{1B}[0m"
  }
}
