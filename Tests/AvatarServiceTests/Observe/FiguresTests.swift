import AvatarCore
import Testing

@testable import AvatarService

/// Histograms, what happened of late, recent failures, and how many lines a guesser may write.
struct FiguresTests {
  private static func counts(_ milliseconds: [Int]) -> [Int] {
    let histogram = Histogram()
    for value in milliseconds { histogram.observe(.milliseconds(value)) }
    return histogram.counts
  }

  @Test(
    arguments: [
      ([], 0.5, nil), ([1], 0.5, 0.75), ([1], 1, 1), ([4, 4, 4, 4], 0.5, 3.75), ([4, 4, 4, 4], 1, 5),
      ([1, 1, 1, 100], 0.75, 1), ([1, 1, 1, 100], 0.99, 98), ([20_000], 0.5, 10_000), ([1, 20_000], 0.5, 1),
      ([0], 0.5, 0.25),
    ] as [([Int], Double, Double?)])
  func `a quantile lies evenly within its bucket`(milliseconds: [Int], share: Double, expected: Double?) {
    #expect(Histogram.quantile(share, of: Self.counts(milliseconds)) == expected)
  }

  @Test func `quantiles never fall as the share grows`() {
    let seed = UInt64.random(in: .min ... .max)
    var state = seed
    func next(_ bound: UInt64) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % bound)
    }
    for _ in 0..<200 {
      let counts = Self.counts((0..<(1 + next(50))).map { _ in next(12_000) })
      let values = stride(from: 0.0, through: 1.0, by: 0.05).compactMap { Histogram.quantile($0, of: counts) }
      #expect(values == values.sorted(), "seed \(seed), counts \(counts)")
      #expect(values.count == 21)
    }
  }

  private static func sample(_ count: Int, at second: Double, from start: ContinuousClock.Instant)
    -> FigureHistory.Sample
  {
    FigureHistory.Sample(at: start + .seconds(second), durations: [[count]], fetches: count / 10)
  }

  @Test(
    arguments: [
      // When somebody looked, a hundred requests a second; the span that the last look covers.
      ([2], 2), ([2, 4], 4), ([2, 4, 6, 8, 10, 12, 14], 14), ([2, 4, 6, 8, 10, 12, 14, 16], 14),
      ([2, 4, 6, 8, 10, 12, 14, 16, 18], 14), ([600], 600), ([2, 600], 598), ([2, 600, 602], 2),
      ([2, 600, 602, 604], 4),
      ([15], 15), ([16], 16),
    ] as [([Double], Double)])
  func `what is live covers fifteen seconds, or the time since the last look`(looks: [Double], seconds: Double) {
    let start = ContinuousClock.now
    var history = FigureHistory(Self.sample(0, at: 0, from: start))
    var last: FigureHistory.Change?
    for look in looks { last = history.look(Self.sample(Int(look * 100), at: look, from: start)) }
    #expect(last?.elapsed == .seconds(seconds), "\(looks)")
    #expect(last?.durations == [[Int(seconds * 100)]])
  }

  @Test func `many who look at once do not shorten what is seen`() {
    let start = ContinuousClock.now
    var history = FigureHistory(Self.sample(0, at: 0, from: start))
    for step in 1...1000 {
      let change = history.look(Self.sample(step, at: Double(step) / 100, from: start))
      #expect(change.elapsed == .seconds(Double(step) / 100))
    }
  }

  @Test func `a host that fails again and again takes one line`() {
    var failures = RecentFailures(capacity: 3)
    func note(_ code: AvatarError.Code, _ host: String, _ second: Int64, status: Int? = nil) {
      failures.note(AvatarError(code, "path /secret", originStatus: status), host: host, now: UnixTime(seconds: second))
    }
    note(.originStatus, "a.example", 1, status: 500)
    note(.originTimedOut, "a.example", 2)
    for second in 3...100 { note(.originStatus, "a.example", Int64(second), status: 502) }
    #expect(failures.lines.map(\.count) == [1, 99])
    #expect(failures.lines.last?.originStatus == 502)
    #expect(failures.lines.last?.first == UnixTime(seconds: 1))
    #expect(failures.lines.last?.last == UnixTime(seconds: 100))
  }

  @Test func `the line that was quiet for longest makes room`() {
    var failures = RecentFailures(capacity: 3)
    for (second, host) in ["a", "b", "c", "a", "d"].enumerated() {
      failures.note(AvatarError(.originUnreachable), host: host, now: UnixTime(seconds: Int64(second)))
    }
    #expect(failures.lines.map(\.host) == ["c", "a", "d"])
    for second in 0..<10_000 {
      failures.note(AvatarError(.originUnreachable), host: "host-\(second)", now: UnixTime(seconds: Int64(second)))
    }
    #expect(failures.lines.count == 3)
  }

  @Test func `ten lines at once, then one a second, and those held back are told`() {
    let start = ContinuousClock.now
    var allowance = LogAllowance(now: start)
    #expect((0..<10).allSatisfy { _ in allowance.take(now: start) == 0 })
    #expect((0..<5000).allSatisfy { _ in allowance.take(now: start + .milliseconds(999)) == nil })
    #expect(allowance.take(now: start + .seconds(1)) == 5000)
    #expect(allowance.take(now: start + .seconds(1)) == nil)
    #expect(allowance.take(now: start + .seconds(2)) == 1)
    // A day of rest fills it, and no fuller than it was.
    let later = start + .seconds(86_400)
    #expect((0..<10).allSatisfy { _ in allowance.take(now: later) == 0 })
    #expect(allowance.take(now: later) == nil)
  }

  @Test func `a flight that asked an origin is counted, whoever began it`() async throws {
    let stage = Stage()
    stage.origin.set("http://a.example/1", .picture("one"))
    stage.origin.set("http://a.example/2", .picture("bad"))
    stage.origin.set("http://b.example/3", .failure(AvatarError(.originStatus, originStatus: 500)))
    for url in ["http://a.example/1", "http://a.example/1", "http://a.example/2", "http://b.example/3"] {
      _ = try await stage.get(url)
    }
    let figures = stage.resolver.figures
    func count(_ outcome: String) -> Int {
      FlightFigures.outcomes.firstIndex(of: outcome).map { figures.fetches[$0] } ?? -1
    }
    #expect(figures.total == 3)
    #expect([count("ok"), count("image_corrupt"), count("origin_status")] == [1, 1, 1])
    #expect(figures.decodeDurations.counts.reduce(0, +) == 1)
    #expect(figures.recentFailures.map(\.host) == ["a.example", "b.example"])
  }
}
