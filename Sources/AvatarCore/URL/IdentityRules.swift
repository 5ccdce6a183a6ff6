/// The identity rules in order. (Contract, section 2 `identity`, section 3.)
///
/// For signed and control requests only: an unsigned one must not reach a private object by its name.
public struct IdentityRules: Sendable {
  private let rules: [IdentityRule]

  /// The first rule whose hosts fit governs, alone. `defaults` count only if they are in `rules`, after the operator's own.
  public init(_ rules: [IdentityRule]) { self.rules = rules }

  /// The canonical URL less the parameters that the governing rule drops, all others in order and byte for byte; without
  /// any left the `?` goes too. Where nothing is dropped it is the canonical URL.
  public func identity(of url: SourceURL) -> String { dropping(from: url) ?? url.serialized }

  /// The rule that governs the URL's host, whether or not it drops anything; nil if none does.
  public func appliedRule(to url: SourceURL) -> IdentityRule? { rules.first { $0.governs(url.host) } }

  /// When the URL stops working, as far as its dropped parameters tell; nil if they do not. Of the URLs of one avatar the one
  /// with the latest expiry is fetched.
  public func expiry(of url: SourceURL) -> UnixTime? {
    guard let rule = appliedRule(to: url), let query = Self.query(of: url) else { return nil }
    return URLExpiry(QueryParameter.all(in: query).filter { rule.drops($0.name) }).earliest
  }

  /// The identity where it differs from the canonical URL; nil where nothing is dropped.
  func dropping(from url: SourceURL) -> String? {
    guard let rule = appliedRule(to: url), let query = Self.query(of: url) else { return nil }
    let parameters = QueryParameter.all(in: query)
    let kept = parameters.filter { !rule.drops($0.name) }
    guard kept.count < parameters.count else { return nil }
    let base = url.withoutQuery
    return kept.isEmpty ? base : base + "?" + kept.map(\.text).joined(separator: "&")
  }

  private static func query(of url: SourceURL) -> Substring? {
    let text = url.pathAndQuery
    guard let mark = text.utf8.firstIndex(of: UInt8(ascii: "?")) else { return nil }
    return text[text.utf8.index(after: mark)...]
  }
}
