import AvatarCore
import Testing

@Suite struct HostHealthTests {
  private enum Step {
    case wait(Int64)
    case fail(AvatarError.Code, retryAfter: Int64? = nil)
    case succeed
    /// Asks, and expects this.
    case expect(HostVerdict)
  }

  private func run(_ name: String, _ steps: [Step], limits: HostHealthLimits = HostHealthLimits()) {
    var health = HostHealth(limits: limits)
    var now = ContinuousClock.now
    for (index, step) in steps.enumerated() {
      switch step {
      case .wait(let seconds): now += .seconds(seconds)
      case .fail(let code, let retryAfter):
        health.noteFailure("a", AvatarError(code, retryAfter: retryAfter.map { .seconds($0) }), now: now)
      case .succeed: health.noteSuccess("a", now: now)
      case .expect(let verdict):
        #expect(health.outlook(on: "a", now: now) == verdict, "\(name), step \(index), looked at")
        #expect(health.verdict(on: "a", now: now) == verdict, "\(name), step \(index)")
      }
      #expect(health.verdict(on: "b", now: now) == .go, "\(name): another host is another host")
    }
  }

  private let open = Array(repeating: Step.fail(.originUnreachable), count: 5)

  private static func closed(_ seconds: Int64) -> Step { .expect(.wait(.seconds(seconds), .originUnreachable)) }

  @Test func `five failures in a row open the breaker for ten seconds`() {
    run("four", Array(open.dropLast()) + [.expect(.go)])
    run("five", open + [Self.closed(10), .wait(9), Self.closed(1), .wait(1), .expect(.probe)])
    run("a success in between", Array(open.dropLast()) + [.succeed] + open.dropLast() + [.expect(.go)])
    run("one is enough", [.fail(.originTimedOut), Self.closed(10)], limits: HostHealthLimits(failures: 1))
  }

  @Test(arguments: [AvatarError.Code.originUnreachable, .originTLSFailed, .originTimedOut, .originProtocol])
  func `faults of the network count`(code: AvatarError.Code) {
    run("\(code)", Array(repeating: .fail(code), count: 5) + [Self.closed(10)])
  }

  @Test(arguments: [
    AvatarError.Code.originNotFound, .originStatus, .originRedirect, .originThrottled, .sourceTooLarge, .sourceEmpty,
    .imageCorrupt, .overloaded, .addressNotAllowed, .hostNotAllowed, .budgetExceeded, .internalFault,
  ])
  func `answers and faults of our own do not count`(code: AvatarError.Code) {
    run("\(code)", Array(repeating: .fail(code), count: 50) + [.expect(.go)])
  }

  @Test func `an answer of any kind shows that the host is there, a fault of our own shows nothing`() {
    let four = Array(open.dropLast())
    run("answer", four + [.fail(.originStatus)] + four + [.expect(.go)])
    run("ours", four + [.fail(.overloaded), .fail(.originTLSFailed), Self.closed(10)])
  }

  @Test func `exactly one probe goes out, and its success closes the breaker`() {
    run("back", open + [.wait(10), .expect(.probe), Self.closed(1), .succeed, .expect(.go), .expect(.go)])
    run("back with an error", open + [.wait(10), .expect(.probe), .fail(.originNotFound), .expect(.go)])
    run("begins to count anew", open + [.wait(10), .expect(.probe), .succeed] + open.dropLast() + [.expect(.go)])
  }

  @Test func `each failed probe doubles the time, to a minute at most`() {
    var steps = open + [.wait(10)]
    for coolDown in [20, 40, 60, 60] as [Int64] {
      steps += [.expect(.probe), .fail(.originUnreachable), Self.closed(coolDown), .wait(coolDown)]
    }
    run("doubling", steps)
    run("a success forgets the doubling", steps + [.expect(.probe), .succeed] + open + [Self.closed(10)])
  }

  @Test func `a probe that never reports, or could not go out, does not close a host off for good`() {
    run("lost", open + [.wait(10), .expect(.probe), .wait(59), Self.closed(1), .wait(1), .expect(.probe)])
    run("given back", open + [.wait(10), .expect(.probe), .fail(.overloaded), .expect(.probe)])
  }

  @Test func `failures of what was under way before neither lengthen nor double the time`() {
    run("while open", open + [.wait(5)] + open + [Self.closed(5)])
    run("after, with no probe out", open + [.wait(12), .fail(.originTimedOut), .expect(.probe)])
  }

  @Test func `a Retry-After holds for the whole host and no success shortens it`() {
    let throttled = Step.fail(.originThrottled, retryAfter: 30)
    let waits = { Step.expect(.wait(.seconds($0), .originThrottled)) }
    run("held", [throttled, waits(30), .wait(29), waits(1), .wait(1), .expect(.go)])
    run("success meanwhile", [throttled, .succeed, waits(30)])
    run("the longest counts", [throttled, .fail(.originThrottled, retryAfter: 5), waits(30)])
    run("longer counts", [throttled, .wait(10), .fail(.originThrottled, retryAfter: 60), waits(60)])
    run("at most an hour", [.fail(.originThrottled, retryAfter: 86_400), waits(3600)])
    run("none, none", [.fail(.originThrottled), .expect(.go), .fail(.originThrottled, retryAfter: 0), .expect(.go)])
    run("and then the breaker", [throttled] + open + [waits(30), .wait(30), .expect(.probe)])
  }

  @Test func `the number of hosts is bounded and healthy ones take no room`() {
    var health = HostHealth(limits: HostHealthLimits(failures: 1, hosts: 10))
    let now = ContinuousClock.now
    for index in 0..<1000 { health.noteFailure("host\(index)", AvatarError(.originTimedOut), now: now) }
    #expect(health.counts(now: now) == (throttled: 0, open: 10))
    for index in 0..<1000 { health.noteSuccess("host\(index)", now: now) }
    #expect(health.counts(now: now) == (throttled: 0, open: 0))
    health.noteFailure("a", AvatarError(.originThrottled, retryAfter: .seconds(9)), now: now)
    #expect(health.counts(now: now) == (throttled: 1, open: 0))
    #expect(health.counts(now: now + .seconds(9)) == (throttled: 0, open: 0))
  }
}
