import AvatarCore

/// Objects by their hash, as a payload that has room for short URLs only names them.
struct ObjectScenario: Scenario {
  let name = "object"
  let story = "a finished avatar asked for by its hash, kept for good by whoever has it"

  func play(on stage: Stage, into result: inout ScenarioResult) throws(AvatarError) {
    let origin = try stage.origin("jpeg-400")
    let server = try stage.server()
    let ready = try Prefetch(server.control).ready([origin.url("jpeg-400", "object", 1)])
    guard let path = ready.first?.objectPath else { throw AvatarError(.internalFault, "no object was made") }
    let book = RequestBook(host: "\(server.publicSide)", targets: [path])
    let most = try stage.load(stage.saturating(server.publicSide, book), "as fast as it goes")
    let calm = try stage.load(
      LoadPlan(
        target: server.publicSide, book: book, arrivals: .open(perSecond: most.perSecond / 2), connections: 64,
        duration: stage.span), "half of saturation: \(Int(most.perSecond / 2)) a second")
    result.show(calm, as: "objects at half of saturation")
    result.add("p99", Double(calm.latency.value(at: 0.99)) / 1e9, .seconds)
    result.add("saturation", most.perSecond, .perSecond)
    result.add("faults", Double(most.faults + calm.faults), .count)
    result.add("origin requests", Double(try origin.requests("jpeg-400", "object")), .count)
  }
}
