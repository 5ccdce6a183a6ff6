/// The parameters of a query as they stand, in order, nothing decoded; empty ones (`a&&b`) too.
struct QueryParameter {
  /// Up to the first `=`.
  let name: Substring
  /// After the first `=`; empty without one.
  let value: Substring
  /// The whole, without `&`.
  let text: Substring

  init(_ text: Substring) {
    self.text = text
    let equals = text.utf8.firstIndex(of: UInt8(ascii: "="))
    name = text[..<(equals ?? text.endIndex)]
    value = equals.map { text[text.utf8.index(after: $0)...] } ?? text[text.endIndex...]
  }

  /// Splits at every `&`.
  static func all(in query: some StringProtocol) -> [QueryParameter] {
    Substring(query).utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
      .map { QueryParameter(Substring($0)) }
  }
}
