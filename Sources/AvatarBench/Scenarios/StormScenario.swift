import AvatarCore

/// A thousand clients on one cold avatar.
struct StormScenario: Scenario {
  let name = "storm"
  let story = "a thousand clients at once ask for an avatar nobody has: one fetch"

  func play(on stage: Stage, into result: inout ScenarioResult) throws(AvatarError) {
    let origin = try stage.origin("jpeg-1024")
    let server = try stage.server()
    let clients = stage.options.scaled(1000, least: 200)
    var slowest: [Double] = []
    var whole = LoadOutcome()
    var most = 0
    for number in 1...stage.options.rounds {
      let group = "storm\(number)"
      let target = PublicPath.unsigned(origin.url("jpeg-1024", group, 1, "delay=500ms"))
      let outcome = try stage.load(
        LoadPlan(
          target: server.publicSide, book: RequestBook(host: "\(server.publicSide)", targets: [target]),
          arrivals: .burst, connections: clients, duration: .seconds(1)), "round \(number): \(clients) clients")
      slowest.append(Double(outcome.latency.maximum) / 1e9)
      most = max(most, try origin.requests("jpeg-1024", group))
      whole.merge(outcome)
    }
    result.show(whole, as: "clients of one cold avatar")
    result.add("clients", Double(clients), .count)
    result.add("slowest over the origin's 500 ms", rounds: slowest.map { $0 - 0.5 }, .seconds)
    result.add("fetches a storm", Double(most), .count)
    result.add("faults", Double(whole.faults), .count)
  }
}
