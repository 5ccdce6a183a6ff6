import AvatarCore
import AvatarService
import Testing

struct ChainResolverTests {
  static let first = "http://group.test/a.png"
  static let second = "http://sender.test/b.png"
  static let third = "http://other.test/c.png"

  private func resolve(
    _ stage: Stage, _ urls: [String], patience: Duration = .seconds(60), within: Duration = .seconds(20)
  ) async throws -> Answer {
    let sources = try urls.map { try stage.source($0) }
    return await ChainResolver(stage.resolver, patience: patience)
      .resolve(sources, Terms(deadline: .after(within)))
  }

  @Test func `a healthy first source costs one fetch`() async throws {
    let stage = Stage()
    stage.origin.set(Self.first, .picture("group"))
    stage.origin.set(Self.second, .picture("sender"))
    let answer = try await resolve(stage, [Self.first, Self.second])
    #expect(answer.text == "group" && answer.index == 0 && answer.maximumAge == nil)
    #expect(stage.origin.asked == [Self.first])
  }

  @Test func `the first failed, the next serves at once, for no longer than the failure is remembered`() async throws {
    let stage = Stage()
    stage.origin.set(Self.first, .failure(AvatarError(.originUnreachable)))
    stage.origin.set(Self.second, .picture("sender"))
    let answer = try await resolve(stage, [Self.first, Self.second])
    #expect(answer.text == "sender" && answer.index == 1)
    let limit = try #require(answer.maximumAge)
    #expect((20...33).contains(limit), "\(limit)")
  }

  @Test func `the first silent beyond patience, the best that is ready serves for at most 30 s`() async throws {
    let stage = Stage()
    stage.origin.set(Self.first, .held(then: .picture("group")))
    stage.origin.set(Self.second, .picture("sender"))
    let answer = try await resolve(stage, [Self.first, Self.second], patience: .milliseconds(60))
    #expect(answer.text == "sender" && answer.index == 1)
    #expect(answer.maximumAge == 30)
    stage.origin.release()
    let source = try stage.source(Self.first)
    let later = await stage.resolver.resolve(source, Terms(deadline: .after(.seconds(20))))
    #expect(later.text == "group", "the flight went on")
    #expect(stage.origin.asked.filter { $0 == Self.first }.count == 1)
  }

  @Test func `what is here already serves while a better one is only waited for`() async throws {
    let stage = Stage()
    stage.origin.set(Self.first, .failure(AvatarError(.originNotFound)))
    stage.origin.set(Self.second, .picture("sender"))
    _ = try await stage.get(Self.second)
    _ = try await stage.get(Self.first)
    let answer = try await resolve(stage, [Self.first, Self.second])
    #expect(answer.text == "sender" && answer.index == 1)
    #expect(stage.origin.asked.count == 2, "nothing is asked again")
  }

  @Test func `all fail, the first one's error is told`() async throws {
    let stage = Stage()
    stage.origin.set(Self.first, .failure(AvatarError(.originTLSFailed)))
    stage.origin.set(Self.second, .failure(AvatarError(.originNotFound)))
    stage.origin.set(Self.third, .picture("bad"))
    let answer = try await resolve(stage, [Self.first, Self.second, Self.third])
    #expect(answer.text == "origin_tls_failed" && answer.index == 0)
    #expect(Set(stage.origin.asked) == [Self.first, Self.second, Self.third])
  }

  @Test func `the deadline finds nothing and says so`() async throws {
    let stage = Stage()
    stage.origin.set(Self.first, .held(then: .picture("group")))
    stage.origin.set(Self.second, .held(then: .picture("sender")))
    let answer = try await resolve(
      stage, [Self.first, Self.second], patience: .milliseconds(10), within: .milliseconds(60))
    #expect(answer.text == "budget_exceeded")
    stage.origin.release()
  }
}
