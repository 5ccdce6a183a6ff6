import AvatarCore
import Testing

@Suite struct LifetimesTests {
  private func freshness(
    lifetime: Int64, _ directives: CacheDirectives = [], after milliseconds: Int64, policy: FreshnessPolicy
  ) -> Freshness {
    policy.assess(
      OriginMetadata(receivedAt: Origin.now, explicitLifetime: lifetime, directives: directives), staleSince: nil,
      now: Origin.now + .milliseconds(milliseconds))
  }

  private static let policy = FreshnessPolicy(minimum: .seconds(1))

  @Test(
    arguments: [
      (3600, [], 0, 3590, 604_800, 2_592_000, 10_000),
      (3600, [], 100, 3590, 604_800, 2_592_000, 9900),
      (300, [], 0, 297, 604_800, 2_592_000, 3000),
      (100, [], 0, 99, 604_800, 2_592_000, 1000),
      (60, [], 0, 60, 604_800, 2_592_000, 0),
      (60, [], 1, 59, 604_800, 2_592_000, 999),
      (1, [], 0, 1, 604_800, 2_592_000, 0),
      (1, [], 400, 0, 604_800, 2_592_000, 600),
      (10, [], 10_000, 0, 604_790, 2_591_990, 10_000),
      (10, [], 604_800_000, 0, 10, 1_987_210, 0),
      (10, [], 604_800_500, 0, 9, 1_987_209, 500),
      (10, [], 604_810_000, 0, 0, 1_987_190, 10_000),
      (10, [], 2_592_010_000, 0, 0, 0, 0),
      (3600, .noStore, 0, 0, 0, 0, 0),
      (3600, .mustRevalidate, 0, 3590, 0, 3600, 10_000),
    ] as [(Int64, CacheDirectives, Int64, Int64, Int64, Int64, Int64)])
  func `lifetimes are rounded down together by one percent or ten seconds`(
    lifetime: Int64, directives: CacheDirectives, after: Int64, maxAge: Int64, whileRevalidate: Int64, ifError: Int64,
    validFor: Int64
  ) {
    let lifetimes = freshness(lifetime: lifetime, directives, after: after, policy: Self.policy).prepared()
    let name = "\(lifetime) s after \(after) ms"
    #expect(lifetimes.maxAge == maxAge, "\(name)")
    #expect(lifetimes.staleWhileRevalidate == whileRevalidate, "\(name)")
    #expect(lifetimes.staleIfError == ifError, "\(name)")
    #expect(lifetimes.validFor == .milliseconds(validFor), "\(name)")
  }

  @Test func `the header says what there is and nothing of what there is not`() {
    let fresh = freshness(lifetime: 60, after: 0, policy: FreshnessPolicy(minimum: .seconds(1))).exact()
    #expect(fresh.cacheControl == "public, max-age=60, stale-while-revalidate=604800, stale-if-error=2592000")
    let strict = freshness(lifetime: 60, .mustRevalidate, after: 0, policy: Self.policy).exact()
    #expect(strict.cacheControl == "public, max-age=60, stale-if-error=3600")
    let secret = freshness(lifetime: 60, .isPrivate, after: 0, policy: Self.policy).exact()
    #expect(secret.cacheControl == "public, max-age=0, must-revalidate")
    #expect(fresh.capped(at: 30).cacheControl == "public, max-age=30")
    #expect(fresh.capped(at: 90).cacheControl == "public, max-age=60")
    #expect(fresh.capped(at: -1).cacheControl == "public, max-age=0")
  }

  @Test func `a prepared block never hands out more than is left, nor much less, at any moment of its reuse`() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(seed: seed)
    for _ in 0..<20_000 {
      let policy = FreshnessPolicy(
        minimum: .seconds(1), staleWhileRevalidate: .seconds(Int64.random(in: 0...2000, using: &random)),
        staleIfError: .seconds(Int64.random(in: 0...4000, using: &random)))
      let lifetime = Int64.random(in: 1...3000, using: &random)
      let after = Int64.random(in: 0...7_000_000, using: &random)
      let now = freshness(lifetime: lifetime, after: after, policy: policy)
      let block = now.prepared()
      let exact = now.exact()
      let name = "seed \(seed): \(lifetime) s after \(after) ms"
      let reused = Int64.random(in: 0...block.validFor.milliseconds, using: &random)
      let then = freshness(lifetime: lifetime, after: after + reused, policy: policy)
      // At the very end of its validity the state may have just turned; a second later nothing may be left to hand out.
      #expect(block.maxAge <= max(0, then.freshFor), "\(name) + \(reused)")
      #expect(block.maxAge + block.staleWhileRevalidate <= max(0, then.freshFor) + then.staleWhileRevalidateFor)
      #expect(block.maxAge + block.staleIfError <= max(0, then.freshFor) + then.staleIfErrorFor, "\(name) + \(reused)")
      for (given, left) in [
        (block.maxAge, exact.maxAge), (block.staleWhileRevalidate, exact.staleWhileRevalidate),
        (block.staleIfError, exact.staleIfError),
      ] {
        #expect(given <= left && left - given <= 10, "\(name)")
      }
      if now.state == .fresh { #expect(exact.maxAge - block.maxAge <= max(0, now.freshFor / 100), "\(name)") }
      #expect(block.validFor <= .seconds(10) && block.validFor >= .zero, "\(name)")
    }
  }
}
