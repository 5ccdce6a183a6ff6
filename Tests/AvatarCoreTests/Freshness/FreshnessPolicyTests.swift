import AvatarCore
import Testing

@Suite struct FreshnessPolicyTests {
  static let day: Int64 = 86_400

  /// What of a metadata matters here.
  private func metadata(
    _ lifetime: Int64?, age: Int64 = 0, _ directives: CacheDirectives = [], receivedAt: UnixTime = Origin.now
  ) -> OriginMetadata {
    OriginMetadata(
      receivedAt: receivedAt, initialAge: age, explicitLifetime: lifetime, directives: directives)
  }

  private func assess(
    _ metadata: OriginMetadata, after milliseconds: Int64, staleSince: UnixTime? = nil,
    policy: FreshnessPolicy = FreshnessPolicy()
  ) -> Freshness {
    policy.assess(metadata, staleSince: staleSince, now: Origin.now + .milliseconds(milliseconds))
  }

  @Test(
    arguments: [
      ("nothing said", nil, 0, [], 86_400),
      ("nothing said, old when it came", nil, 500_000, [], 86_400),
      ("max-age 1 h", 3600, 0, [], 3600),
      ("max-age 1 h, 10 min old when it came", 3600, 600, [], 3000),
      ("at the minimum", 300, 0, [], 300),
      ("above the minimum", 301, 0, [], 301),
      ("below the minimum", 299, 0, [], 300),
      ("0", 0, 0, [], 300),
      ("stale when it came", 3600, 7200, [], 300),
      ("at the maximum", 30 * day, 0, [], 30 * day),
      ("above the maximum", 30 * day + 1, 0, [], 30 * day),
      ("saturated", 1 << 31, 0, [], 30 * day),
      ("nonsense in storage", .min, .max, [], 300),
      ("more nonsense in storage", .max, .min, [], 30 * day),
      ("no-store", 3600, 0, .noStore, 300),
      ("private", 3600, 0, .isPrivate, 300),
      ("private, nothing said", nil, 0, .isPrivate, 300),
      ("no-cache", nil, 0, .noCache, 300),
      ("no-cache with a max-age", 3600, 0, .noCache, 300),
      ("must-revalidate", 3600, 0, .mustRevalidate, 3600),
      ("must-revalidate, nothing said", nil, 0, .mustRevalidate, 86_400),
      ("proxy-revalidate", 10, 0, .proxyRevalidate, 300),
    ] as [(String, Int64?, Int64, CacheDirectives, Int64)])
  func `the lifetime is what the origin said within our clamps`(
    name: String, said: Int64?, age: Int64, directives: CacheDirectives, lifetime: Int64
  ) {
    let metadata = metadata(said, age: age, directives)
    #expect(assess(metadata, after: 0).freshFor == lifetime, "\(name)")
    #expect(assess(metadata, after: lifetime * 1000 - 1).state == .fresh, "\(name)")
    #expect(assess(metadata, after: lifetime * 1000).state != .fresh, "\(name)")
    #expect(assess(metadata, after: 0).freshUntil == Origin.now + .seconds(lifetime), "\(name)")
  }

  @Test(
    arguments: [
      ("fresh", [], 0, .fresh, 3600, 7 * day, 30 * day),
      ("last millisecond", [], 3_599_999, .fresh, 0, 7 * day, 30 * day),
      ("just stale", [], 3_600_000, .staleWhileRevalidate, -1, 7 * day, 30 * day),
      ("a second and a bit stale", [], 3_601_001, .staleWhileRevalidate, -2, 7 * day - 2, 30 * day - 2),
      ("a day stale", [], (3600 + day) * 1000, .staleWhileRevalidate, -day, 6 * day, 29 * day),
      ("end of revalidation less a ms", [], (3600 + 7 * day) * 1000 - 1, .staleWhileRevalidate, -7 * day, 0, 23 * day),
      ("end of revalidation", [], (3600 + 7 * day) * 1000, .staleIfError, -7 * day, 0, 23 * day),
      ("end of all less a ms", [], (3600 + 30 * day) * 1000 - 1, .staleIfError, -30 * day, 0, 0),
      ("end of all", [], (3600 + 30 * day) * 1000, .expired, -30 * day, 0, 0),
      ("no-store, fresh", .noStore, 0, .fresh, 300, 0, 0),
      ("no-store, over", .noStore, 300_000, .expired, -1, 0, 0),
      ("private, over", .isPrivate, 300_000, .expired, -1, 0, 0),
      ("must-revalidate, fresh", .mustRevalidate, 0, .fresh, 3600, 0, 3600),
      ("must-revalidate, stale", .mustRevalidate, 3_600_000, .staleIfError, -1, 0, 3600),
      ("must-revalidate, an hour stale", .mustRevalidate, 7_200_000, .expired, -3600, 0, 0),
      ("proxy-revalidate, stale", .proxyRevalidate, 3_610_000, .staleIfError, -10, 0, 3590),
      ("no-cache, stale", .noCache, 310_000, .staleIfError, -10, 0, 3590),
      ("private before no-cache", [.isPrivate, .noCache], 300_000, .expired, -1, 0, 0),
    ] as [(String, CacheDirectives, Int64, Freshness.State, Int64, Int64, Int64)])
  func `the windows count from the end of freshness`(
    name: String, directives: CacheDirectives, after: Int64, state: Freshness.State, freshFor: Int64,
    whileRevalidate: Int64, ifError: Int64
  ) {
    let freshness = assess(metadata(3600, directives), after: after)
    #expect(freshness.state == state, "\(name)")
    #expect(freshness.freshFor == freshFor, "\(name)")
    #expect(freshness.staleWhileRevalidateFor == whileRevalidate, "\(name)")
    #expect(freshness.staleIfErrorFor == ifError, "\(name)")
    #expect(freshness.maySpread == directives.isDisjoint(with: [.noStore, .isPrivate]), "\(name)")
  }

  @Test func `the age is what it was on arrival and the time since`() {
    #expect(assess(metadata(3600, age: 40), after: 2999).age == 42)
    #expect(assess(metadata(3600, age: 40), after: -50_000).age == 40)
  }

  @Test func `a soft purge makes an entry stale from its moment on, and the windows count from there`() {
    let entry = metadata(3600)
    let purged = Origin.now + .seconds(100)
    let freshness = assess(entry, after: 160_000, staleSince: purged)
    #expect(freshness.state == .staleWhileRevalidate)
    #expect(freshness.freshFor == -60)
    #expect(freshness.staleWhileRevalidateFor == 7 * Self.day - 60)
    let late = assess(entry, after: 5_000_000, staleSince: Origin.now + .seconds(4500))
    #expect(late.freshUntil == Origin.now + .seconds(3600), "stale before the purge: that counts")
    let ahead = assess(entry, after: 50_000, staleSince: purged)
    #expect(ahead.state == .staleWhileRevalidate, "a clock that went back does not undo a purge")
    #expect(ahead.freshFor == -1)
  }

  @Test(arguments: [1, 1000, 3_599_999, 3_600_000])
  func `a clock that went back by less than the lifetime changes nothing`(step: Int64) {
    let freshness = assess(metadata(3600), after: -step)
    #expect(freshness.state == .fresh)
    #expect(freshness.freshFor == 3600, "never more than a lifetime from now")
    #expect(freshness.freshUntil == Origin.now + .milliseconds(3_600_000 - step))
  }

  @Test(arguments: [3_600_001, 86_400_000, 30 * 365 * 86_400_000] as [Int64])
  func `a clock that went far back makes an entry stale at once, served at once, and never immortal`(step: Int64) {
    let freshness = assess(metadata(3600), after: -step)
    #expect(freshness.state == .staleWhileRevalidate)
    #expect(freshness.freshFor == -1)
    let secret = assess(metadata(3600, .noStore), after: -step)
    #expect(secret.state == .expired, "what may not be served stale is not")
    // One answer of the origin puts the time right.
    let renewed = metadata(3600, receivedAt: Origin.now + .milliseconds(-step))
    #expect(assess(renewed, after: -step).freshFor == 3600)
  }

  @Test(arguments: [Int64.min, -1, 0, Int64.max], [Int64.min, -1, 0, Int64.max])
  func `no clock and no stored time is too odd`(receivedAt: Int64, now: Int64) {
    let odd = metadata(3600, receivedAt: UnixTime(milliseconds: receivedAt))
    for staleSince in [nil, UnixTime(milliseconds: .min), UnixTime(milliseconds: .max)] {
      let freshness = FreshnessPolicy().assess(odd, staleSince: staleSince, now: UnixTime(milliseconds: now))
      #expect(freshness.freshFor <= 3600, "received \(receivedAt), now \(now)")
      let lifetimes = freshness.prepared()
      #expect(lifetimes.maxAge >= 0 && lifetimes.maxAge <= 3600 && lifetimes.validFor >= .zero)
    }
  }

  @Test func `windows of nothing leave nothing between fresh and expired`() {
    let policy = FreshnessPolicy(staleWhileRevalidate: .zero, staleIfError: .zero)
    #expect(assess(metadata(3600), after: 3_600_000, policy: policy).state == .expired)
    let revalidateOnly = FreshnessPolicy(staleIfError: .zero)
    #expect(assess(metadata(3600), after: 3_600_000, policy: revalidateOnly).state == .staleWhileRevalidate)
  }

  @Test(
    arguments: [
      ("fresh with time to go", 3600, 1000, 0, 0.0, false),
      ("just before the last tenth", 3600, 1000, 3_239_999, 0.0, false),
      ("in the last tenth, unpopular", 3600, 9, 3_599_000, 0.0, false),
      ("in the last tenth, popular, lucky", 3600, 10, 3_500_000, 0.5, true),
      ("in the last tenth, popular, unlucky", 3600, 1000, 3_500_000, 0.9, false),
      ("stale", 3600, 1000, 3_600_000, 0.0, false),
      ("a month: not before the last hour", 30 * day, 1_000_000, (30 * day - 3601) * 1000, 0.0, false),
      ("a month: in the last hour", 30 * day, 1_000_000, (30 * day - 1800) * 1000, 0.0, true),
    ] as [(String, Int64, Int, Int64, Double, Bool)])
  func `a popular entry is due ahead in the last of its life only`(
    name: String, lifetime: Int64, uses: Int, after: Int64, chance: Double, isDue: Bool
  ) {
    #expect(assess(metadata(lifetime), after: after).isDueAhead(uses: uses, chance: chance) == isDue, "\(name)")
  }

  @Test func `what may not spread is never refreshed ahead`() {
    #expect(!assess(metadata(3600, .noStore), after: 299_000).isDueAhead(uses: 1000, chance: 0))
  }

  @Test(arguments: [10, 100, 10_000])
  func `nearly all popular entries are refreshed ahead, each at its own moment`(uses: Int) {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(seed: seed)
    let entry = metadata(36_000)
    var moments: [Int64] = []
    for _ in 0..<500 {
      // Of evenly spread uses nine of ten fall before the window.
      let times = (0..<uses / 10).map { _ in Int64.random(in: 32_400_001..<36_000_000, using: &random) }.sorted()
      for (count, time) in zip((uses - uses / 10)..., times) {
        let draw = Double.random(in: 0..<1, using: &random)
        if assess(entry, after: time).isDueAhead(uses: count + 1, chance: draw) {
          moments.append(time)
          break
        }
      }
    }
    // A single use in the window comes too early for good odds once in sixteen times.
    #expect(moments.count >= (uses == 10 ? 430 : 470), "seed \(seed): \(moments.count) of 500")
    let quarters = Dictionary(grouping: moments) { ($0 - 32_400_000) / 900_000 }
    #expect(quarters.count == 4, "seed \(seed): spread over the window")
    #expect(quarters.values.allSatisfy { $0.count < moments.count * 3 / 4 }, "seed \(seed)")
  }
}
