import AvatarCore
import Testing

@testable import AvatarService

/// Hits from disk that wait for nothing: their entries are known, and their bytes in the machine's memory.
struct AtOnceTests {
  private static let url = "http://origin.test/a.png"

  /// A stage without a memory tier that has the avatar on disk.
  private func stage(_ adjust: (inout AvatarResolver.Settings) -> Void = { _ in }) async throws -> Stage {
    let stage = Stage {
      $0.memoryBytes = 0
      adjust(&$0)
    }
    stage.origin.set(Self.url, .picture("one", headers: .cacheControl("max-age=1000")), .picture("two"))
    #expect(try await stage.get(Self.url).text == "one")
    return stage
  }

  @Test func `what was stored or loaded is served at once while it is fresh`() async throws {
    let stage = try await stage()
    let source = try stage.source(Self.url)
    #expect(stage.resolver.hit(source) == nil)
    #expect(stage.resolver.hitAtOnce(source)?.text == "one")
    // A restart knows no entry; the first load brings it.
    let restarted = AvatarResolver(stage.parts, stage.settings)
    #expect(restarted.hitAtOnce(source) == nil)
    #expect(await restarted.resolve(source, Terms(deadline: .after(.seconds(10)))).text == "one")
    #expect(restarted.hitAtOnce(source)?.text == "one")
    // Stale it goes the way on which it is refreshed.
    stage.clock.advance(.seconds(1001))
    #expect(stage.resolver.hitAtOnce(source) == nil && restarted.hitAtOnce(source) == nil)
    #expect(stage.origin.asked.count == 1)
  }

  @Test func `bytes that are not at hand are loaded by the disk's threads`() async throws {
    let stage = try await stage()
    let source = try stage.source(Self.url)
    stage.store.setInMemory(false)
    #expect(stage.resolver.hitAtOnce(source) == nil)
    #expect(try await stage.get(Self.url).text == "one")
    #expect(stage.origin.asked.count == 1)
  }

  @Test(arguments: ["key", "object", "host", "everything", "soft"])
  func `a purge takes it out`(_ kind: String) async throws {
    let stage = try await stage()
    let source = try stage.source(Self.url)
    let object = try #require(stage.store.entries[source.key]).object
    let purge =
      switch kind {
      case "key": Purge(.keys([source.key]))
      case "object": Purge(.object(object))
      case "host": Purge(.host("origin.test"))
      case "soft": Purge(.keys([source.key]), soft: true)
      default: Purge(.everything)
      }
    _ = await stage.store.purge(purge)
    #expect(stage.resolver.hitAtOnce(source) == nil)
    #expect(stage.store.looksAtOnce == 0)
  }

  @Test func `what may not be kept, was removed, or is new elsewhere is not known`() async throws {
    let stage = try await stage()
    let source = try stage.source(Self.url)
    await stage.resolver.cache.remove(source.key)
    #expect(stage.resolver.hitAtOnce(source) == nil)
    stage.origin.set(Self.url, .picture("three", headers: .cacheControl("no-store")))
    #expect(try await stage.get(Self.url).text == "three")
    #expect(stage.resolver.hitAtOnce(source) == nil)
    // A disk that takes no writes has the old avatar still.
    let other = try await self.stage()
    other.store.setFull(true)
    let answer = await other.resolver.resolve(
      try other.source(Self.url), Terms(deadline: .after(.seconds(10)), refresh: true))
    #expect(answer.text == "two")
    #expect(other.resolver.hitAtOnce(try other.source(Self.url)) == nil)
  }

  @Test func `with a memory tier it is in memory from then on`() async throws {
    let stage = try await stage { $0.memoryBytes = 1 << 20 }
    let source = try stage.source(Self.url)
    stage.resolver.memory.drop(source.key)
    #expect(stage.resolver.hitAtOnce(source)?.text == "one")
    #expect(stage.resolver.hit(source)?.text == "one")
    #expect(stage.store.looksAtOnce == 1)
  }
}
