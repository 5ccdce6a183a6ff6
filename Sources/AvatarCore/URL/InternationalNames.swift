/// International host names to ASCII, by UTS 46: the rules stay in the core, the tables are a library's.
/// `AvatarNames` is the one adapter.
public protocol InternationalNames: Sendable {
  /// The name as it is looked up, letters beyond ASCII as punycode (`bücher.test` → `xn--bcher-kva.test`); nil if it
  /// is not a valid name. The caller checks the result's alphabet again: a mapping may produce `/`, `@` or digits.
  func ascii(_ name: String) -> String?
}
