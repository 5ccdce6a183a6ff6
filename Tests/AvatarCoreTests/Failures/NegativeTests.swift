import AvatarCore
import Testing

@Suite struct NegativePolicyTests {
  @Test(arguments: AvatarError.Code.allCases)
  func `each cause is remembered as the contract says`(code: AvatarError.Code) {
    let seconds: Int64? =
      switch code.status {
      case 422: 3600
      case 502: 30
      default:
        switch code {
        case .originNotFound: 3600
        case .originTimedOut: 30
        case .originThrottled: 60
        default: nil
        }
      }
    #expect(NegativePolicy().lifetime(of: AvatarError(code), jitter: 0) == seconds.map { .seconds($0) }, "\(code)")
  }

  @Test(
    arguments: [
      (-1, 27), (-0.5, 28.5), (0, 30), (1, 33), (7, 33), (-7, 27), (.nan, 30), (.infinity, 30),
    ] as [(Double, Double)])
  func `jitter moves a time by ten percent at most`(jitter: Double, seconds: Double) throws {
    let lifetime = try #require(NegativePolicy().lifetime(of: AvatarError(.originUnreachable), jitter: jitter))
    #expect(abs(lifetime / .seconds(1) - seconds) < 0.001, "\(jitter)")
  }

  @Test(
    arguments: [
      (120, 0, 120), (120, 1, 132), (120, -1, 132), (0, 0, 1), (7200, 0, 3600), (3600, -0.5, 3780),
    ] as [(Int64, Double, Double)])
  func `a Retry-After is never asked sooner and never believed beyond the maximum`(
    asked: Int64, jitter: Double, seconds: Double
  ) throws {
    let error = AvatarError(.originThrottled, originStatus: 429, retryAfter: .seconds(asked))
    let lifetime = try #require(NegativePolicy().lifetime(of: error, jitter: jitter))
    #expect(abs(lifetime / .seconds(1) - seconds) < 0.001, "\(asked)")
  }

  @Test(
    arguments: [(401, true), (403, true), (400, false), (404, false), (500, false), (nil, false)] as [(Int?, Bool)])
  func `a 401 or 403 speaks of the exact URL`(status: Int?, isExact: Bool) {
    #expect(NegativePolicy.isForExactURL(AvatarError(.originStatus, originStatus: status)) == isExact)
  }
}

@Suite struct NegativeTableTests {
  let start = ContinuousClock.now

  @Test func `a failure is remembered until its time and not a moment longer`() {
    var table = NegativeTable<String>(capacity: 10)
    let error = AvatarError(.originNotFound, "gone")
    table.remember(error, for: "a", until: start + .seconds(10), now: start)
    let found = table.lookup("a", now: start + .seconds(4))
    #expect(found?.error == error && found?.remaining == .seconds(6))
    #expect(table.lookup("b", now: start) == nil)
    #expect(table.lookup("a", now: start + .seconds(10) - .nanoseconds(1)) != nil)
    #expect(table.lookup("a", now: start + .seconds(10)) == nil)
    #expect(table.count == 0, "what has run out takes no room once it was met")
  }

  @Test func `a newer failure replaces, a passed one forgets, and forgetting forgets`() {
    var table = NegativeTable<String>(capacity: 10)
    table.remember(AvatarError(.originTimedOut), for: "a", until: start + .seconds(10), now: start)
    table.remember(AvatarError(.originNotFound), for: "a", until: start + .seconds(5), now: start)
    #expect(table.lookup("a", now: start)?.error.code == .originNotFound)
    #expect(table.lookup("a", now: start)?.remaining == .seconds(5))
    table.remember(AvatarError(.originNotFound), for: "a", until: start, now: start)
    #expect(table.count == 0)
    table.remember(AvatarError(.originNotFound), for: "a", until: start + .seconds(5), now: start)
    table.forget("a")
    #expect(table.lookup("a", now: start) == nil)
    for key in ["a", "b", "c"] {
      table.remember(AvatarError(.originNotFound), for: key, until: start + .seconds(5), now: start)
    }
    table.forgetAll { key, error in key != "b" && error.code == .originNotFound }
    #expect(table.count == 1 && table.lookup("b", now: start) != nil)
  }

  @Test(arguments: [0, 1, 100])
  func `the number is bounded and what is asked for again stays`(capacity: Int) {
    var table = NegativeTable<Int>(capacity: capacity)
    for key in 0..<1000 {
      table.remember(AvatarError(.originNotFound), for: key, until: start + .seconds(60), now: start)
      if capacity > 1 { #expect(table.lookup(0, now: start) != nil, "\(key)") }
      #expect(table.count <= capacity)
    }
    #expect(table.count == capacity && table.capacity == capacity)
  }
}
