public import AvatarCore

/// One source URL as the resolver sees it: what to fetch, and under which names its avatar and its failures are kept.
public struct AvatarSource: Hashable, Sendable {
  /// What to fetch.
  public let url: SourceURL
  /// How the bytes become an avatar.
  public let recipe: Recipe
  /// The avatar's identity. Where `sharesIdentity`, other URLs have the same.
  public let key: CacheKey
  /// The identity of exactly this URL: one signed URL's 401 or 403 is not another's.
  public let exactKey: CacheKey
  /// Whether an identity rule took parameters out of `key`.
  public let sharesIdentity: Bool
}

/// Makes sources by the identity rules: applied to whoever is trusted (signed URLs and the control side), never to an unsigned request.
public struct SourceNaming: Sendable {
  private let rules: IdentityRules
  private let recipe: Recipe
  private let hashing: any Hashing

  /// `recipe` is the configured one; a request's `fit` replaces its own.
  public init(rules: IdentityRules, recipe: Recipe, hashing: any Hashing) {
    self.rules = rules
    self.recipe = recipe
    self.hashing = hashing
  }

  /// Names one source.
  public func source(_ url: SourceURL, fit: Fit, trusted: Bool) -> AvatarSource {
    var recipe = recipe
    recipe.fit = fit
    let exact = CacheKey(of: url, identity: nil, recipe: recipe, hashing: hashing)
    guard trusted, rules.appliedRule(to: url) != nil else {
      return AvatarSource(url: url, recipe: recipe, key: exact, exactKey: exact, sharesIdentity: false)
    }
    let key = CacheKey(of: url, identity: rules, recipe: recipe, hashing: hashing)
    return AvatarSource(url: url, recipe: recipe, key: key, exactKey: exact, sharesIdentity: true)
  }

  /// Names all sources of a locator, best first.
  public func sources(_ locator: AvatarLocator, trusted: Bool) -> [AvatarSource] {
    locator.sources.map { source($0, fit: locator.fit, trusted: trusted) }
  }

  /// The rule that applies to a URL, for `inspect`.
  public func rule(for url: SourceURL) -> IdentityRule? { rules.appliedRule(to: url) }

  /// The latest moment until which a URL says that it can be fetched; nil where it says nothing readable.
  public func expiry(of url: SourceURL) -> UnixTime? { rules.expiry(of: url) }
}
