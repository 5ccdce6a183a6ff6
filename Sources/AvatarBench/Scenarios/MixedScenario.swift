import AvatarCore

/// Hits while 12-megapixel photos miss.
struct MixedScenario: Scenario {
  let name = "mixed"
  let story = "hits at 30 % of saturation, alone and during a storm of 12-megapixel misses"

  func play(on stage: Stage, into result: inout ScenarioResult) throws(AvatarError) {
    let origin = try stage.origin("jpeg-400", "jpeg-12mp")
    let server = try stage.server(["fetch-per-host-concurrency": "64"])
    let path = PublicPath.unsigned(origin.url("jpeg-400", "hit", 1))
    _ = try PlainClient(server.publicSide).get(path)
    let book = RequestBook(host: "\(server.publicSide)", targets: [path])
    let most = try stage.load(stage.saturating(server.publicSide, book), "saturation")
    let hits = LoadPlan(
      target: server.publicSide, book: book, arrivals: .open(perSecond: most.perSecond * 0.3), connections: 64,
      duration: stage.span)
    var alone: [Double] = []
    var during: [Double] = []
    var (calm, busy, misses) = (LoadOutcome(), LoadOutcome(), LoadOutcome())
    for number in 1...stage.options.rounds {
      let quiet = try stage.load(hits, "round \(number): hits alone")
      let storm = (0..<2000).map { PublicPath.unsigned(origin.url("jpeg-12mp", "storm", "\(number)-\($0)")) }
      let other = try stage.begin(
        LoadPlan(
          target: server.publicSide, book: RequestBook(host: "\(server.publicSide)", targets: storm), arrivals: .closed,
          connections: 8, duration: stage.span, order: .once), "round \(number): hits beside 12-megapixel misses")
      let loud = try stage.load(hits, "round \(number): hits beside 12-megapixel misses")
      misses.merge(other.outcome())
      alone.append(Double(quiet.latency.value(at: 0.99)) / 1e9)
      during.append(Double(loud.latency.value(at: 0.99)) / 1e9)
      calm.merge(quiet)
      busy.merge(loud)
    }
    result.show(calm, as: "hits alone")
    result.show(busy, as: "hits during the storm")
    result.show(misses, as: "12-megapixel misses")
    result.add("p99 alone", rounds: alone, .seconds)
    result.add("p99 during", rounds: during, .seconds)
    result.add(
      "p99 over what is allowed", rounds: zip(alone, during).map { $1 - max(2 * $0, $0 + 0.002) }, .seconds)
    result.add("misses", Double(misses.answers), .count)
    result.add("faults", Double(calm.faults + busy.faults + misses.faults), .count)
    result.add("hits that asked the origin", Double(try origin.requests("jpeg-400", "hit") - 1), .count)
  }
}
