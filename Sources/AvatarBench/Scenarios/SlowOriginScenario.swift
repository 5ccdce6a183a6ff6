import AvatarCore

/// Origins that take long, and one that sends its bytes one by one.
struct SlowOriginScenario: Scenario {
  let name = "slow-origin"
  let story = "misses from origins that take two seconds or trickle, while others are hit"

  func play(on stage: Stage, into result: inout ScenarioResult) throws(AvatarError) {
    let origin = try stage.origin("jpeg-400")
    let server = try stage.server(["fetch-per-host-concurrency": "256"])
    let count = Int(20 * stage.options.seconds)
    let targets = (0..<count).map { number in
      PublicPath.unsigned(origin.url("jpeg-400", "slow", number, number % 4 == 3 ? "rate=8KiB" : "delay=2s"))
    }
    let (hits, slow) = try stage.beside(server, origin, targets, expected: [200, 504, 503], perSecond: 20)
    result.show(slow, as: "misses from slow origins")
    result.show(hits, as: "hits meanwhile")
    result.add("answered with an avatar", Double(slow.statuses[200] ?? 0) / Double(max(slow.answers, 1)), .ratio)
    result.add(
      "slowest over the request budget", Double(slow.latency.maximum) / 1e9 - Stage.requestBudget, .seconds)
    result.add("p99 of hits", Double(hits.latency.value(at: 0.99)) / 1e9, .seconds)
    result.add("faults", Double(hits.faults + slow.faults), .count)
    result.add("hits that asked the origin", Double(try origin.requests("jpeg-400", "near") - 1), .count)
  }
}

extension Stage {
  /// `requestBudget`'s default in seconds.
  static let requestBudget = 4.0

  /// Sends `targets` at a rate, once each, and 500 hits a second beside them.
  func beside(
    _ server: ServerUnderTest, _ origin: OriginProcess, _ targets: [String], expected: Set<Int>, perSecond: Double
  ) throws(AvatarError) -> (hits: LoadOutcome, others: LoadOutcome) {
    let path = PublicPath.unsigned(origin.url("jpeg-400", "near", 1))
    _ = try PlainClient(server.publicSide).get(path)
    let others = try begin(
      LoadPlan(
        target: server.publicSide, book: RequestBook(host: "\(server.publicSide)", targets: targets),
        arrivals: .open(perSecond: perSecond), connections: 512, duration: span, order: .once, expected: expected),
      "\(Int(perSecond)) a second, and hits")
    let hits = try load(
      LoadPlan(
        target: server.publicSide, book: RequestBook(host: "\(server.publicSide)", targets: [path]),
        arrivals: .open(perSecond: 500), connections: 64, duration: span), "\(Int(perSecond)) a second, and hits")
    return (hits, others.outcome())
  }
}
