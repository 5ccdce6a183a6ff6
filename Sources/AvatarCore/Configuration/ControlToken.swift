/// Bearer tokens as operators write them.
enum ControlToken {
  static let allowed = "a token of 8 to 1024 characters out of letters, digits and -._~+/="

  /// Whether `text` can travel in an `Authorization` field (RFC 6750 section 2.1) and is not absurdly short.
  static func isValid(_ text: some StringProtocol) -> Bool {
    (8...1024).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        let character = Character(UnicodeScalar(byte))
        return byte < 0x80 && (character.isLetter || character.isNumber || "-._~+/=".contains(character))
      }
  }
}
