import AvatarCore
import Testing

@testable import AvatarService

struct AvatarResolverTests {
  static let url = "http://origin.test/a.png"

  @Test func `a picture is fetched once and kept`() async throws {
    let stage = Stage()
    stage.origin.set(Self.url, .picture("one"))
    let first = try await stage.get(Self.url)
    #expect(first.text == "one")
    #expect(first.cacheStatus.fieldValue == "avatar-server; fwd=uri-miss; fwd-status=200; stored")
    let second = try await stage.get(Self.url)
    #expect(second.text == "one")
    #expect(second.cacheStatus.fieldValue.hasPrefix("avatar-server; hit; ttl="))
    #expect(stage.origin.asked.count == 1)
  }

  @Test func `however many ask for one picture, one fetch runs`() async throws {
    let stage = Stage()
    stage.origin.set(Self.url, .held(then: .picture("one")))
    let source = try stage.source(Self.url)
    let texts = await withTaskGroup(of: String.self) { group in
      for _ in 0..<200 {
        group.addTask { await stage.resolver.resolve(source, Terms(deadline: .after(.seconds(10)))).text }
      }
      await stage.origin.arrival()
      stage.origin.release()
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(texts.count == 200 && texts.allSatisfy { $0 == "one" })
    #expect(stage.origin.asked.count == 1)
  }

  @Test func `a flight outlives a caller whose budget has passed`() async throws {
    let stage = Stage()
    stage.origin.set(Self.url, .held(then: .picture("late")))
    let early = try await stage.get(Self.url, within: .milliseconds(1))
    #expect(early.text == "budget_exceeded")
    stage.origin.release()
    #expect(try await stage.get(Self.url).text == "late")
    #expect(stage.origin.asked.count == 1)
  }

  @Test func `past its freshness it is served at once and refreshed behind with its validators`() async throws {
    let stage = Stage()
    stage.origin.set(
      Self.url, .picture("old", headers: .cacheControl("max-age=600", etag: "\"v1\"")),
      .held(then: .picture("new", headers: .cacheControl("max-age=600", etag: "\"v2\""))))
    _ = try await stage.get(Self.url)
    stage.clock.advance(.seconds(601))
    let stale = try await stage.get(Self.url)
    #expect(stale.text == "old")
    #expect(stale.cacheStatus.fieldValue == "avatar-server; hit; ttl=-1")
    await stage.origin.arrival()
    #expect(stage.origin.lastValidators == Validators(etag: "\"v1\""))
    stage.origin.release()
    while try await stage.get(Self.url).text != "new" { await Task.yield() }
    #expect(stage.origin.asked.count == 2)
  }

  @Test func `a 304 renews without decoding and keeps Last-Modified`() async throws {
    let stage = Stage()
    stage.origin.set(
      Self.url, .picture("one", headers: .cacheControl("max-age=600, must-revalidate", etag: "\"v1\"")),
      .notModified(headers: .cacheControl("max-age=600, must-revalidate", etag: "\"v1\"")))
    let changed = try await stage.get(Self.url).avatar?.entry.changedAt
    stage.clock.advance(.seconds(601))
    let answer = try await stage.get(Self.url)
    #expect(answer.text == "one")
    #expect(answer.cacheStatus.fieldValue == "avatar-server; fwd=stale; fwd-status=304; stored")
    #expect(answer.avatar?.entry.changedAt == changed)
    #expect(stage.normalizer.decoded == 1)
    #expect(try await stage.get(Self.url).cacheStatus.fieldValue == "avatar-server; hit; ttl=600")
  }

  @Test func `same bytes again keep Last-Modified, others move it forward`() async throws {
    let stage = Stage()
    let header: [HeaderField] = .cacheControl("max-age=600, must-revalidate")
    stage.origin.set(
      Self.url, .picture("a", headers: header), .picture("a", headers: header), .picture("b", headers: header))
    var times: [UnixTime?] = []
    for _ in 0..<3 {
      times.append(try await stage.get(Self.url).avatar?.entry.changedAt)
      stage.clock.advance(.seconds(601))
    }
    #expect(times[0] == times[1])
    #expect(times[2] == times[0].map { $0 + .seconds(1202) })
  }

  static let keepStale: [AvatarError] = [
    AvatarError(.originStatus, originStatus: 401), AvatarError(.originStatus, originStatus: 403),
    AvatarError(.originStatus, originStatus: 500), AvatarError(.originThrottled, originStatus: 429),
    AvatarError(.originUnreachable), AvatarError(.originTimedOut), AvatarError(.originTLSFailed),
    AvatarError(.imageCorrupt),
  ]

  @Test(arguments: keepStale)
  func `a failed refresh keeps the stale copy within its window`(error: AvatarError) async throws {
    let stage = Stage()
    stage.origin.set(Self.url, .picture("one", headers: .cacheControl("max-age=600")), .failure(error))
    _ = try await stage.get(Self.url)
    stage.clock.advance(.seconds(600 + 8 * 86400))  // Past stale-while-revalidate, within stale-if-error.
    let answer = try await stage.get(Self.url)
    #expect(answer.text == "one")
    #expect(answer.cacheStatus.fieldValue.hasPrefix("avatar-server; fwd=stale"))
    stage.clock.advance(.seconds(23 * 86400))
    #expect(try await stage.get(Self.url).text != "one", "past stale-if-error")
  }

  @Test(arguments: [404, 410])
  func `a picture that was taken down goes`(status: Int) async throws {
    let stage = Stage()
    stage.origin.set(
      Self.url, .picture("one", headers: .cacheControl("max-age=600, must-revalidate")),
      .failure(AvatarError(.originNotFound, originStatus: status)))
    _ = try await stage.get(Self.url)
    stage.clock.advance(.seconds(601))
    #expect(try await stage.get(Self.url).text == "origin_not_found")
    #expect(stage.store.entries.isEmpty)
    let again = try await stage.get(Self.url)
    #expect(again.text == "origin_not_found")
    #expect(stage.origin.asked.count == 2, "the second 404 comes from memory")
  }

  @Test func `what must not be stored is served, kept in memory for the minimum, and never on disk`() async throws {
    let stage = Stage()
    stage.origin.set(Self.url, .picture("secret", headers: .cacheControl("no-store")))
    let answer = try await stage.get(Self.url)
    #expect(answer.text == "secret")
    #expect(stage.store.entries.isEmpty)
    guard case .avatar(let avatar, let freshness) = answer.outcome else { return }
    #expect(!avatar.isOnDisk && !freshness.maySpread)
    _ = try await stage.get(Self.url)
    #expect(stage.origin.asked.count == 1)
    stage.clock.advance(.seconds(301))
    _ = try await stage.get(Self.url)
    #expect(stage.origin.asked.count == 2)
  }

  @Test func `a disk that takes nothing degrades to memory`() async throws {
    let stage = Stage()
    stage.store.setFull(true)
    stage.origin.set(Self.url, .picture("one"))
    #expect(try await stage.get(Self.url).text == "one")
    #expect(try await stage.get(Self.url).text == "one")
    #expect(stage.origin.asked.count == 1)
  }

  @Test func `a flight older than a purge is given to those waiting and kept nowhere`() async throws {
    let stage = Stage()
    stage.origin.set(Self.url, .held(then: .picture("old")), .picture("new"))
    let source = try stage.source(Self.url)
    async let answer = stage.resolver.resolve(source, Terms(deadline: .after(.seconds(10))))
    await stage.origin.arrival()
    _ = await stage.store.purge(Purge(.keys([source.key])))
    stage.origin.release()
    #expect(await answer.text == "old")
    #expect(stage.store.entries.isEmpty)
    #expect(try await stage.get(Self.url).text == "new")
  }

  @Test func `a miss looks at the disk once`() async throws {
    let stage = Stage { $0.lookLifetime = .seconds(3600) }
    stage.origin.set(Self.url, .picture("one"))
    let source = try stage.source(Self.url)
    let look = await withCheckedContinuation { continuation in
      stage.resolver.lookupOnDisk(source) { _, look in continuation.resume(returning: look) }
    }
    let terms = Terms(deadline: .after(.seconds(10)))
    #expect(await stage.resolver.resolve(source, terms, after: look).text == "one")
    #expect(stage.store.looks == 1)
    // Somebody else's flight has landed since that look: it is not gone by.
    #expect(await stage.resolver.resolve(source, terms, after: look).text == "one")
    #expect(stage.origin.asked.count == 1)
  }

  @Test func `what is purged after a look does not come back by it`() async throws {
    let stage = Stage()
    stage.origin.set(Self.url, .picture("old", headers: [HeaderField("ETag", "\"a\"")]), .picture("new"))
    let source = try stage.source(Self.url)
    _ = try await stage.get(Self.url)
    stage.clock.advance(.seconds(86_400 * 40))
    let look = await withCheckedContinuation { continuation in
      stage.resolver.lookupOnDisk(source) { _, look in continuation.resume(returning: look) }
    }
    #expect(look.avatar != nil)
    _ = await stage.store.purge(Purge(.keys([source.key])))
    let answer = await stage.resolver.resolve(source, Terms(deadline: .after(.seconds(10))), after: look)
    #expect(answer.text == "new" && stage.origin.lastValidators == nil)
  }

  @Test func `only-if-cached never asks`() async throws {
    let stage = Stage()
    stage.origin.set(Self.url, .picture("one"))
    let source = try stage.source(Self.url)
    let terms = Terms(deadline: .after(.seconds(10)), onlyIfCached: true)
    #expect(await stage.resolver.resolve(source, terms).text == "not_cached")
    _ = try await stage.get(Self.url)
    #expect(await stage.resolver.resolve(source, terms).text == "one")
    #expect(stage.origin.asked.count == 1)
  }

  @Test func `a refresh asks the origin even about what is fresh`() async throws {
    let stage = Stage()
    stage.origin.set(Self.url, .picture("one"), .picture("two"))
    _ = try await stage.get(Self.url)
    let answer = await stage.resolver.resolve(
      try stage.source(Self.url), Terms(deadline: .after(.seconds(10)), refresh: true))
    #expect(answer.text == "two")
  }

  @Test func `a full house sheds`() async throws {
    let stage = Stage { $0.flights = 1 }
    stage.origin.set(Self.url, .held(then: .picture("one")))
    let source = try stage.source(Self.url)
    async let first = stage.resolver.resolve(source, Terms(deadline: .after(.seconds(10))))
    await stage.origin.arrival()
    #expect(try await stage.get("http://origin.test/b.png").text == "overloaded")
    stage.origin.release()
    #expect(await first.text == "one")
  }
}
