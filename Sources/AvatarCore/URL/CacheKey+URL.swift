extension CacheKey {
  /// The key of an avatar: SHA-256 of its URL and everything in the recipe that changes the bytes.
  ///
  /// `identity` is nil for unsigned requests. A URL that a rule has shortened has another key than a URL that came as short:
  /// otherwise whoever may not sign could reach a private picture under its bare name. Where nothing is dropped, signed and
  /// unsigned requests share the entry.
  public init(of url: SourceURL, identity: IdentityRules?, recipe: Recipe, hashing: some Hashing) {
    let shortened = identity?.dropping(from: url)
    // A canonical URL holds no line break, so no two inputs make the same text.
    let text = """
      avatar \(Recipe.version)
      \(shortened == nil ? "url" : "identity") \(shortened ?? url.serialized)
      size \(recipe.size) quality \(recipe.quality) \(recipe.minimumQuality) target \(recipe.targetBytes)
      background \(recipe.background) fit \(recipe.fit.rawValue)
      """
    self.init(hashing.sha256(Array(text.utf8)))
  }
}
