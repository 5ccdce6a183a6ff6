import AvatarCore
import AvatarService
import Testing

/// Presigned URLs of one avatar share an entry; what one of them is refused is not the other's.
struct IdentityTests {
  static let rules: [IdentityRule] = [HostPattern("store.test")].compactMap { $0 }
    .map { IdentityRule(hosts: [$0], drop: ["sig", "exp"]) }
  static let first = "http://store.test/a.png?exp=1&sig=one"
  static let second = "http://store.test/a.png?exp=2&sig=two"

  @Test func `two signed URLs of one avatar are one entry and one fetch`() async throws {
    let stage = Stage(rules: Self.rules)
    stage.origin.set(Self.first, .picture("one"))
    _ = try await stage.get(Self.first)
    #expect(try await stage.get(Self.second).text == "one")
    #expect(stage.origin.asked == [Self.first])
  }

  @Test func `an unsigned request does not reach it by any name`() async throws {
    let stage = Stage(rules: Self.rules)
    stage.origin.set(Self.first, .picture("private"))
    _ = try await stage.get(Self.first)
    for url in ["http://store.test/a.png", Self.second] {
      #expect(try await stage.get(url, trusted: false).text == "origin_not_found", "\(url)")
    }
  }

  @Test func `a 403 of one URL is not another's`() async throws {
    let stage = Stage(rules: Self.rules)
    stage.origin.set(Self.first, .failure(AvatarError(.originStatus, originStatus: 403)))
    stage.origin.set(Self.second, .picture("two"))
    #expect(try await stage.get(Self.first).text == "origin_status")
    #expect(try await stage.get(Self.first).text == "origin_status")
    #expect(stage.origin.asked == [Self.first], "the refused URL is not asked again")
    #expect(try await stage.get(Self.second).text == "two")
  }

  @Test func `whoever joins a flight that another URL's 403 ends flies with his own`() async throws {
    let stage = Stage(rules: Self.rules)
    stage.origin.set(Self.first, .held(then: .failure(AvatarError(.originStatus, originStatus: 403))))
    stage.origin.set(Self.second, .picture("two"))
    let (one, two) = (try stage.source(Self.first), try stage.source(Self.second))
    async let refused = stage.resolver.resolve(one, Terms(deadline: .after(.seconds(10))))
    await stage.origin.arrival()
    async let served = stage.resolver.resolve(two, Terms(deadline: .after(.seconds(10))))
    stage.origin.release()
    #expect(await refused.text == "origin_status")
    #expect(await served.text == "two")
  }

  @Test func `without a rule the query counts byte for byte`() async throws {
    let stage = Stage()
    stage.origin.set("http://plain.test/a?x=1", .picture("1"))
    stage.origin.set("http://plain.test/a?x=2", .picture("2"))
    #expect(try await stage.get("http://plain.test/a?x=1").text == "1")
    #expect(try await stage.get("http://plain.test/a?x=2").text == "2")
  }
}
