import AvatarCore

/// Origins that hang, reset and refuse.
struct DeadOriginScenario: Scenario {
  let name = "dead-origin"
  let story = "misses from origins that hang, reset or are not there: answered within the budget, hits untouched"

  func play(on stage: Stage, into result: inout ScenarioResult) throws(AvatarError) {
    let origin = try stage.origin("jpeg-400")
    // The breaker would answer most of them at once; here each has to wait its budget out.
    let server = try stage.server(["fetch-per-host-concurrency": "1024", "breaker-failures": "1000"])
    let closed = try FreePort.find()
    let count = Int(60 * stage.options.seconds)
    let targets = (0..<count).map { number in
      switch number % 3 {
      case 0: PublicPath.unsigned(origin.url("jpeg-400", "dead", number, "hang"))
      case 1: PublicPath.unsigned(origin.url("jpeg-400", "dead", number, "reset"))
      default: PublicPath.unsigned("http://127.0.0.1:\(closed)/\(number).jpg")
      }
    }
    let (hits, dead) = try stage.beside(server, origin, targets, expected: [502, 503, 504], perSecond: 60)
    result.show(dead, as: "misses from dead origins")
    result.show(hits, as: "hits meanwhile")
    result.add(
      "slowest over the request budget", Double(dead.latency.maximum) / 1e9 - Stage.requestBudget, .seconds)
    result.add("p99 of hits", Double(hits.latency.value(at: 0.99)) / 1e9, .seconds)
    result.add("faults", Double(hits.faults + dead.faults), .count)
    result.add("hits that asked the origin", Double(try origin.requests("jpeg-400", "near") - 1), .count)
  }
}
