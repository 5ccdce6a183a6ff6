import AvatarCore
import Testing

/// Random histories of an entry against a model that knows no formula: a tape with one mark for each second of an entry's life.
@Suite struct FreshnessModelTests {
  private enum Mark: Equatable { case fresh, whileRevalidate, ifError }

  /// What the origin may say, from which both the header fields and the model's view of them are made.
  private struct Saying {
    var maxAge: Int64?
    var shared: Int64?
    var expires: Int64?
    var date: Int64?
    var age: Int64?
    var words: [String] = []

    init(using random: inout SeededGenerator) {
      func maybe(_ range: ClosedRange<Int64>) -> Int64? {
        Int.random(in: 0..<3, using: &random) == 0 ? Int64.random(in: range, using: &random) : nil
      }
      maxAge = maybe(0...60)
      shared = maybe(0...60)
      expires = maybe(-20...60)
      date = maybe(-20...20)
      age = maybe(0...30)
      let all = [
        "no-store", "private", "no-cache", "must-revalidate", "proxy-revalidate", "public", "immutable", "x=\"y\"",
      ]
      words = all.filter { _ in Int.random(in: 0..<10, using: &random) == 0 }
    }

    func fields(at now: UnixTime) -> [(String, String)] {
      var fields: [(String, String)] = [("etag", "\"e\"")]
      var control = words
      if let maxAge { control.append("max-age=\(maxAge)") }
      if let shared { control.append("s-maxage=\"\(shared)\"") }
      if !control.isEmpty { fields.append(("cache-control", control.joined(separator: ", "))) }
      if let expires { fields.append(("expires", HTTPDate.format(now + .seconds(expires)))) }
      if let date { fields.append(("date", HTTPDate.format(now + .seconds(date)))) }
      if let age { fields.append(("age", "\(age)")) }
      return fields
    }
  }

  private struct Model {
    let policy: FreshnessPolicy
    var arrival: Int64
    var tape: [Mark] = []

    init(_ saying: Saying, _ policy: FreshnessPolicy, arrival: Int64) {
      self.policy = policy
      self.arrival = arrival
      let age = max(saying.age ?? 0, -(saying.date ?? 0))
      var life: Int64
      if let said = saying.shared ?? saying.maxAge {
        life = said - age
      } else if let expires = saying.expires {
        life = max(0, expires - (saying.date ?? 0)) - age
      } else {
        life = policy.lifetime.wholeSeconds
      }
      let says = Set(saying.words)
      if says.contains("no-cache") { life = 0 }
      let isSecret = says.contains("no-store") || says.contains("private")
      if isSecret { life = 0 }
      while life < policy.minimum.wholeSeconds { life += 1 }
      while life > policy.maximum.wholeSeconds { life -= 1 }
      for _ in 0..<life { tape.append(.fresh) }
      if isSecret { return }
      let isStrict = !says.isDisjoint(with: ["no-cache", "must-revalidate", "proxy-revalidate"])
      let whileRevalidate = isStrict ? 0 : policy.staleWhileRevalidate.wholeSeconds
      for second in 0..<max(whileRevalidate, policy.staleIfError.wholeSeconds) {
        tape.append(second < whileRevalidate ? .whileRevalidate : .ifError)
      }
    }

    /// A soft purge: what is fresh from here on is cut out of the tape, the rest moves up.
    mutating func purge(at now: Int64) {
      let second = Int(now - arrival)
      while second < tape.count, tape[second] == .fresh { tape.remove(at: second) }
    }

    func expectation(at now: Int64) -> Freshness.State {
      let second = Int(now - arrival)
      guard second < tape.count else { return .expired }
      switch tape[second] {
      case .fresh: return .fresh
      case .whileRevalidate: return .staleWhileRevalidate
      case .ifError: return .staleIfError
      }
    }

    func left(_ mark: Mark, at now: Int64) -> Int64 {
      Int64(tape.dropFirst(Int(now - arrival)).count { $0 == mark })
    }
  }

  @Test func `thousands of random histories go as the tape says`() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(seed: seed)
    var seen: Set<Freshness.State> = []
    for history in 0..<4000 {
      let policy = FreshnessPolicy(
        lifetime: .seconds(Int64.random(in: 1...50, using: &random)),
        minimum: .seconds(Int64.random(in: 1...10, using: &random)),
        maximum: .seconds(Int64.random(in: 20...50, using: &random)),
        staleWhileRevalidate: .seconds(Int64.random(in: 0...30, using: &random)),
        staleIfError: .seconds(Int64.random(in: 0...60, using: &random)))
      var now = Origin.now.seconds
      let first = Saying(using: &random)
      var metadata = OriginMetadata(of: try Origin.saying(first.fields(at: Origin.now)))
      var model = Model(first, policy, arrival: now)
      var staleSince: UnixTime?
      for step in 0..<12 {
        let name: Comment = "seed \(seed), history \(history), step \(step): \(first)"
        let freshness = policy.assess(metadata, staleSince: staleSince, now: UnixTime(seconds: now))
        let state = model.expectation(at: now)
        seen.insert(state)
        #expect(freshness.state == state, name)
        #expect(max(0, freshness.freshFor) == model.left(.fresh, at: now), name)
        #expect(freshness.staleWhileRevalidateFor == model.left(.whileRevalidate, at: now), name)
        switch Int.random(in: 0..<8, using: &random) {
        case 0 where staleSince == nil:
          staleSince = UnixTime(seconds: now)
          model.purge(at: now)
        case 1:  // A 200 with the same bytes, or a 304 that says everything anew.
          let next = Saying(using: &random)
          let response = try Origin.saying(
            next.fields(at: UnixTime(seconds: now)), status: 200, at: UnixTime(seconds: now))
          metadata = OriginMetadata(of: response)
          staleSince = nil
          model = Model(next, policy, arrival: now)
        default:
          now += Int64.random(in: 0...20, using: &random)
        }
      }
    }
    #expect(seen.count == 4, "every state was met; seed \(seed)")
  }

  @Test func `under any clock an entry lives at most two lifetimes longer for one step back`() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(seed: seed)
    let policy = FreshnessPolicy(minimum: .seconds(1))
    for _ in 0..<300 {
      let lifetime = Int64.random(in: 1...100, using: &random)
      let metadata = OriginMetadata(receivedAt: Origin.now, explicitLifetime: lifetime)
      let stepAt = Int64.random(in: 0...100, using: &random)
      let step = Int64.random(in: 0...300, using: &random)
      var freshSeconds = 0
      for second in 0..<800 as Range<Int64> {
        let wall = Origin.now + .seconds(second >= stepAt ? second - step : second)
        let freshness = policy.assess(metadata, staleSince: nil, now: wall)
        if freshness.state == .fresh { freshSeconds += 1 }
        if freshness.freshFor > lifetime || freshness.state == .expired {
          Issue.record("seed \(seed): \(freshness) at \(second), step \(step) at \(stepAt)")
        }
      }
      #expect(freshSeconds <= 3 * lifetime, "seed \(seed): lifetime \(lifetime), step \(step) at \(stepAt)")
    }
  }
}
