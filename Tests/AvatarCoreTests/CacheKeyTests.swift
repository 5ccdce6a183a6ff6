import AvatarCore
import AvatarCrypto
import Testing

@Suite("The cache key")
struct CacheKeyTests {
  private let rules = IdentityRules(IdentityRules.defaults)
  private let plain = "https://b.s3.amazonaws.com/1.jpg"

  @Test func `presigned URLs of one avatar share a key`() throws {
    #expect(try key(plain + "?X-Amz-Date=1&X-Amz-Signature=a") == key(plain + "?X-Amz-Signature=b"))
    #expect(try key(plain + "?X-Amz-Signature=a") != key("https://b.s3.amazonaws.com/2.jpg?X-Amz-Signature=a"))
    #expect(try key(plain + "?X-Amz-Signature=a&versionId=1") != key(plain + "?X-Amz-Signature=a&versionId=2"))
  }

  @Test func `an unsigned request cannot reach a presigned avatar by its bare name, nor by another signature`() throws {
    let signed = try key(plain + "?X-Amz-Signature=a")
    #expect(try signed != key(plain, rules: nil))
    #expect(try signed != key(plain + "?X-Amz-Signature=b", rules: nil))
    #expect(try signed != key(plain + "?X-Amz-Signature=a", rules: nil))
  }

  @Test func `where nothing is dropped, signed and unsigned requests share the entry`() throws {
    for text in [plain, "https://h.example/?x=1", "https://h.example/"] {
      #expect(try key(text) == key(text, rules: nil), "\(text)")
    }
  }

  @Test func `everything in the recipe that changes the bytes changes the key`() throws {
    let changes: [(inout Recipe) -> Void] = [
      { $0.size = 128 }, { $0.quality = 81 }, { $0.minimumQuality = 59 }, { $0.targetBytes += 1 },
      { $0.background = 0 },
      { $0.fit = .contain },
    ]
    var keys: Set<CacheKey> = [try key(plain)]
    for change in changes {
      var recipe = Recipe()
      change(&recipe)
      keys.insert(try key(plain, recipe: recipe))
    }
    #expect(keys.count == changes.count + 1)
  }

  /// A key that moved would empty every cache at an update: whoever changes it on purpose raises `Recipe.version`.
  @Test func `the key of a URL stays what it was`() throws {
    #expect(
      try key("https://example.com/a.png").description
        == "79d8db4df7640ff1c5896c68b22351a29f104d37a16f761fead496811bcd4e9e")
  }

  private func key(_ text: String, rules: IdentityRules?, recipe: Recipe = Recipe()) throws -> CacheKey {
    CacheKey(of: try SourceURL.sample(text), identity: rules, recipe: recipe, hashing: OpenSSLHashing())
  }

  private func key(_ text: String, recipe: Recipe = Recipe()) throws -> CacheKey {
    try key(text, rules: rules, recipe: recipe)
  }
}
