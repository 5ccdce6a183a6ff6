import AvatarCore

/// Bombs and broken pictures.
struct HostileScenario: Scenario {
  let name = "hostile"
  let story = "bombs and broken pictures while others are hit: refused, and nobody else notices"

  private static let kinds = ["bomb-png", "truncated-jpeg", "garbage", "html", "svg-bomb"]

  func play(on stage: Stage, into result: inout ScenarioResult) throws(AvatarError) {
    let origin = try stage.origin("jpeg-400", "bomb-png", "truncated-jpeg", "garbage", "html", "svg-bomb")
    let server = try stage.server(["fetch-per-host-concurrency": "256", "breaker-failures": "1000"])
    let count = Int(40 * stage.options.seconds)
    let targets = (0..<count).map { number in
      PublicPath.unsigned(origin.url(Self.kinds[number % Self.kinds.count], "hostile", number))
    }
    let (hits, hostile) = try stage.beside(server, origin, targets, expected: [200, 415, 422, 502], perSecond: 40)
    result.show(hostile, as: "hostile pictures")
    result.show(hits, as: "hits meanwhile")
    result.add("served as avatars", Double(hostile.statuses[200] ?? 0), .count)
    result.add(
      "slowest over the request budget", Double(hostile.latency.maximum) / 1e9 - Stage.requestBudget, .seconds)
    result.add("p99 of hits", Double(hits.latency.value(at: 0.99)) / 1e9, .seconds)
    result.add("faults", Double(hits.faults + hostile.faults), .count)
    result.add("server runs", server.isRunning ? 1 : 0, .count)
    result.add("worker restarts", server.metric("avatar_worker_restarts_total"), .count)
    result.add("server memory", Double(server.tree.rootMemory), .bytes)
    result.add("hits that asked the origin", Double(try origin.requests("jpeg-400", "near") - 1), .count)
  }
}
