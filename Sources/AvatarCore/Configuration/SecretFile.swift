/// A file of secrets, one a line.
public struct SecretFile: Sendable {
  /// Why a file of secrets cannot be read, in the system's words.
  public struct Unreadable: Error, Sendable {
    /// Such as `No such file or directory`.
    public let reason: String
    /// Makes one.
    public init(reason: String) { self.reason = reason }
  }
  /// The whole text.
  public var text: String
  /// Whether users other than its owner and group can read it.
  public var isWorldReadable: Bool

  /// Makes a file.
  public init(text: String, isWorldReadable: Bool) {
    self.text = text
    self.isWorldReadable = isWorldReadable
  }

  /// The lines that hold a secret, with their numbers from 1: blanks around and comments from `#` on are left out. (CR LF is
  /// one `Character`: splitting at "\n" would miss it.)
  var secrets: [(line: Int, text: String)] {
    text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated().compactMap { index, line in
      let code = line.prefix { $0 != "#" }
      guard let first = code.firstIndex(where: { !$0.isWhitespace }),
        let last = code.lastIndex(where: { !$0.isWhitespace })
      else { return nil }
      return (index + 1, String(code[first...last]))
    }
  }
}
