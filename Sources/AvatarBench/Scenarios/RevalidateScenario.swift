import AvatarCore

/// What a CDN asks again: `If-None-Match`, answered by a 304.
struct RevalidateScenario: Scenario {
  let name = "revalidate"
  let story = "a CDN's conditional request for what it has: 304 without a body"

  func play(on stage: Stage, into result: inout ScenarioResult) throws(AvatarError) {
    let origin = try stage.origin("jpeg-400")
    let server = try stage.server(try SignedPaths.settings(in: stage.directory))
    let path = try SignedPaths().path(origin.url("jpeg-400", "revalidate", 1))
    guard let answer = PlainClient(server.publicSide).ask("GET", path), answer.status == 200,
      let etag = answer.field("etag")
    else { throw AvatarError(.internalFault, "no avatar to ask for again") }
    let whole = RequestBook(host: "\(server.publicSide)", targets: [path])
    let conditional = RequestBook(host: "\(server.publicSide)", targets: [path], fields: ["If-None-Match: \(etag)"])
    var ratios: [Double] = []
    var faults = 0
    var rate = 0.0
    for number in 1...stage.options.rounds {
      var (hit, same) = (CostSum(), CostSum())
      for turn in 1...CostSum.turns {
        for (book, status) in [(whole, 200), (conditional, 304)] {
          let run = try stage.cost(
            of: server.tree,
            stage.saturating(server.publicSide, book, turns: CostSum.turns, expected: [status]),
            "round \(number), turn \(turn): \(status)")
          if status == 200 { hit.add(run) } else { same.add(run) }
        }
      }
      ratios.append(same.perRequest / hit.perRequest)
      faults += hit.faults + same.faults
      rate = same.perSecond / 2
    }
    let calm = try stage.load(
      LoadPlan(
        target: server.publicSide, book: conditional, arrivals: .open(perSecond: rate), connections: 64,
        duration: stage.span, expected: [304]), "half of saturation: \(Int(rate)) a second")
    result.show(calm, as: "304 at half of saturation")
    result.add("p99", Double(calm.latency.value(at: 0.99)) / 1e9, .seconds)
    result.add("cpu of 304 to 200", rounds: ratios, .ratio)
    result.add("faults", Double(faults + calm.faults), .count)
    result.add("origin requests", Double(try origin.requests("jpeg-400", "revalidate")), .count)
  }
}
