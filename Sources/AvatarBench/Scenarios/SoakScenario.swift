import AvatarCore

/// Everything at once for long: what must not grow does not.
struct SoakScenario: Scenario {
  let name = "soak"
  let story = "hits, misses, changed pictures and dead origins over a cache far too small: memory and disk stay bounded"

  func play(on stage: Stage, into result: inout ScenarioResult) throws(AvatarError) {
    // Objects are named by their bytes: only different pictures fill a cache.
    let origin = try stage.origin("jpeg-400", "webp-512", variations: 150)
    let limit = 1 << 20
    let server = try stage.server([
      "cache-max-bytes": "\(limit)", "cache-memory-bytes": "512KiB", "fetch-per-host-concurrency": "64",
      "breaker-failures": "1000",
    ])
    let kinds = ["jpeg-400", "webp-512"]
    let length = Duration.milliseconds(Int64(stage.options.seconds * 5000))
    let rate = 150.0
    // Four in five are new, so that the cache is filled many times over; the rest comes again soon after.
    let targets = (0..<Int(rate * length.seconds)).map { number in
      let name = number % 5 == 4 ? max(0, number - 40) : number
      return PublicPath.unsigned(
        origin.url(kinds[name % kinds.count], "soak", name, name % 50 == 7 ? "status=404" : ""))
    }
    let load = try stage.begin(
      LoadPlan(
        target: server.publicSide, book: RequestBook(host: "\(server.publicSide)", targets: targets),
        arrivals: .open(perSecond: rate), connections: 512, duration: length, order: .once, expected: [200, 404]),
      "\(Int(rate)) a second for \(Text.seconds(length.seconds))")
    var fullest = 0.0
    var memory: [Double] = []
    var descriptors: [Double] = []
    let deadline = Deadline.after(length)
    while !deadline.hasPassed {
      Pause.milliseconds(250)
      fullest = max(fullest, server.metric("avatar_cache_bytes", "tier=\"disk\""))
      memory.append(Double(server.tree.rootMemory))
      descriptors.append(Double(server.tree.descriptors))
    }
    let outcome = load.outcome()
    result.show(outcome, as: "answers")
    result.add("p99", Double(outcome.latency.value(at: 0.99)) / 1e9, .seconds)
    result.add(
      "slowest over the request budget", Double(outcome.latency.maximum) / 1e9 - Stage.requestBudget, .seconds)
    result.add("faults", Double(outcome.faults), .count)
    result.add("disk to its limit", fullest / Double(limit), .ratio)
    result.add("evictions", server.metric("avatar_cache_evictions_total", "tier=\"disk\""), .count)
    let (half, end) = (Figure.median(Self.part(memory, 0.4..<0.6)), Figure.median(Self.part(memory, 0.8..<1)))
    result.add("memory growth from half way", end - half, .bytes)
    result.add("server memory", end, .bytes)
    result.add("worker memory", Double(server.tree.largestChildMemory), .bytes)
    result.add("descriptors", descriptors.max() ?? 0, .count)
  }

  private static func part(_ values: [Double], _ range: Range<Double>) -> [Double] {
    let count = Double(values.count)
    return Array(values[Int(range.lowerBound * count)..<Int(range.upperBound * count)])
  }
}
