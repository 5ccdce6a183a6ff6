import AvatarCore
import Testing

@Suite struct RenewalTests {
  typealias Fields = [(String, String)]

  /// A renewal 100 s after the first answer.
  private func renew(_ first: Fields, _ second: Fields) throws -> OriginMetadata {
    let later = Origin.now + .seconds(100)
    return OriginMetadata(of: try Origin.saying(first)).renewed(
      by: try Origin.saying(second, status: 304, at: later))
  }

  @Test(
    arguments: [
      ("a bare 304 keeps a max-age", [("cache-control", "max-age=60")], [], 60, []),
      ("max-age replaces max-age", [("cache-control", "max-age=60")], [("cache-control", "max-age=5")], 5, []),
      ("a 304 that drops it drops it", [("cache-control", "max-age=60")], [("cache-control", "public")], nil, []),
      ("nothing said stays nothing", [], [], nil, []),
      (
        "directives stay", [("cache-control", "no-store, max-age=60")], [("date", Origin.date(100))], 60, .noStore
      ),
      ("directives go", [("cache-control", "no-store, max-age=60")], [("cache-control", "max-age=60")], 60, []),
      ("Pragma restricts", [("cache-control", "max-age=60")], [("pragma", "no-cache")], 60, .noCache),
      (
        "an Expires does not overrule the max-age that stays", [("cache-control", "max-age=60")],
        [("expires", Origin.date(900))], 60, []
      ),
      (
        "Expires replaces Expires", [("expires", Origin.date(60))],
        [("expires", Origin.date(900)), ("date", Origin.date(100))], 800, .lifetimeByExpires
      ),
      (
        "an Expires that stays is a moment, not a duration", [("expires", Origin.date(150))],
        [("date", Origin.date(100))], 50, .lifetimeByExpires
      ),
      ("an Expires that has passed stays passed", [("expires", Origin.date(60))], [], 0, .lifetimeByExpires),
      (
        "an Expires stays under a Cache-Control without a number", [("expires", Origin.date(150))],
        [("cache-control", "public")], 50, .lifetimeByExpires
      ),
      ("max-age replaces Expires", [("expires", Origin.date(60))], [("cache-control", "max-age=7")], 7, []),
    ] as [(String, Fields, Fields, Int64?, CacheDirectives)])
  func `what a 304 says replaces and what it leaves out stays`(
    name: String, first: Fields, second: Fields, lifetime: Int64?, directives: CacheDirectives
  ) throws {
    let renewed = try renew(first, second)
    #expect(renewed.explicitLifetime == lifetime, "\(name)")
    #expect(renewed.directives == directives, "\(name)")
    #expect(renewed.receivedAt == Origin.now + .seconds(100), "\(name)")
  }

  @Test func `the age begins anew with the 304`() throws {
    #expect(try renew([("age", "50")], []).initialAge == 0)
    #expect(try renew([("age", "50")], [("age", "7")]).initialAge == 7)
    #expect(try renew([("date", Origin.date(-50))], [("date", Origin.date(90))]).initialAge == 10)
  }

  @Test(
    arguments: [
      ("same tag", [("etag", "\"a\"")], [("etag", "\"a\"")], "\"a\"", nil),
      ("weak against strong", [("etag", "\"a\"")], [("etag", "W/\"a\"")], "W/\"a\"", nil),
      ("unquoted against quoted", [("etag", "a")], [("etag", "\"a\"")], "\"a\"", nil),
      ("no tag in the 304", [("etag", "\"a\"")], [], "\"a\"", nil),
      ("no tag before", [], [("etag", "\"a\"")], "\"a\"", nil),
      (
        "tags agree, dates differ", [("etag", "\"a\""), ("last-modified", Origin.date(-9))],
        [("etag", "\"a\""), ("last-modified", Origin.date(-5))], "\"a\"", Origin.date(-5)
      ),
      (
        "dates agree in another form", [("last-modified", "Sun, 06 Nov 1994 08:49:37 GMT")],
        [("last-modified", "Sunday, 06-Nov-94 08:49:37 GMT")], nil, "Sunday, 06-Nov-94 08:49:37 GMT"
      ),
      (
        "an unreadable date changes nothing", [("last-modified", Origin.date(-9))], [("last-modified", "0")], nil,
        Origin.date(-9)
      ),
    ] as [(String, Fields, Fields, String?, String?)])
  func `validators that agree are kept in their newest form`(
    name: String, first: Fields, second: Fields, etag: String?, lastModified: String?
  ) throws {
    let renewed = try renew(first + [("cache-control", "max-age=60")], second)
    #expect(renewed.validators == Validators(etag: etag, lastModified: lastModified), "\(name)")
    #expect(renewed.explicitLifetime == 60, "\(name)")
  }

  @Test(
    arguments: [
      ([("etag", "\"one\"")], [("etag", "\"other\"")]),
      ([("etag", "\"one\"")], [("etag", "W/\"other\"")]),
      (
        [("etag", "\"a\""), ("last-modified", Origin.date(-9))],
        [("etag", "\"b\""), ("last-modified", Origin.date(-9))]
      ),
      ([("last-modified", Origin.date(-9))], [("last-modified", Origin.date(-5))]),
    ] as [(Fields, Fields)])
  func `a 304 with another validator renews nothing and the next request is unconditional`(
    first: Fields, second: Fields
  ) throws {
    let renewed = try renew(
      first + [("cache-control", "max-age=60, must-revalidate")], second + [("cache-control", "max-age=9999, private")])
    #expect(renewed.validators.isEmpty, "\(first) \(second)")
    #expect(renewed.explicitLifetime == 0, "\(first) \(second)")
    #expect(renewed.directives == [.mustRevalidate, .isPrivate], "\(first) \(second)")
    let freshness = FreshnessPolicy().assess(renewed, staleSince: nil, now: renewed.receivedAt)
    #expect(freshness.freshFor == 300, "kept for the minimum, so that the origin is spared")
  }
}
