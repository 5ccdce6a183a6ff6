import AvatarCore

/// A start with a full cache.
struct RestartScenario: Scenario {
  let name = "restart"
  let story = "a start with a million entries: how soon the first hit comes, and what hits cost then"

  func play(on stage: Stage, into result: inout ScenarioResult) throws(AvatarError) {
    let many = stage.options.scaled(1_000_000, least: 20_000)
    let few = 1000
    let avatar = try makeAvatar(stage)
    let large = try filled(stage, "large", count: many, avatar: avatar)
    let small = try filled(stage, "small", count: few, avatar: avatar)

    var first: [Double] = []
    for number in 1...stage.options.rounds {
      stage.step("start \(number) with \(many) entries")
      let begun = Nanoseconds.now
      let server = try stage.server(directory: large)
      _ = try PlainClient(server.publicSide).get(Self.path(number * (many / 10)))
      first.append(Double(Nanoseconds.now - begun) / 1e9)
      server.stop()
    }
    result.add("entries", Double(many), .count)
    result.add("start to first hit", rounds: first, .seconds)

    let one = try stage.server(directory: large)
    let other = try stage.server(directory: small)
    let entries = one.metric("avatar_cache_entries")
    // The same number of hot avatars out of either cache.
    let (spread, near) = (try hot(stage, one, step: many / few), try hot(stage, other, step: 1))
    var ratios: [Double] = []
    var faults = 0
    for number in 1...stage.options.rounds {
      let much = try stage.cost(of: one.tree, stage.saturating(one.publicSide, spread), "round \(number): \(many)")
      let little = try stage.cost(of: other.tree, stage.saturating(other.publicSide, near), "round \(number): \(few)")
      ratios.append(much.perRequest / little.perRequest)
      faults += much.outcome.faults + little.outcome.faults
    }
    result.add("cpu of a hit to that with \(few) entries", rounds: ratios, .ratio)
    result.add("faults", Double(faults), .count)
    let memory = Double(one.tree.rootMemory) - one.metric("avatar_cache_bytes", "tier=\"memory\"")
    result.add("server memory without the memory tier", memory, .bytes)
    result.add("server memory over what is allowed", memory - 80e6 - 150 * max(entries, Double(many)), .bytes)
  }

  private func makeAvatar(_ stage: Stage) throws(AvatarError) -> [UInt8] {
    let origin = try stage.origin("jpeg-400")
    let server = try stage.server()
    defer { server.stop() }
    return try PlainClient(server.publicSide).get(PublicPath.unsigned(origin.url("jpeg-400", "model", 1)))
  }

  private func filled(
    _ stage: Stage, _ name: String, count: Int, avatar: [UInt8]
  ) throws(AvatarError) -> String {
    let place = "\(stage.directory)/\(name)"
    Files.makeDirectory(place)
    stage.step("filling a cache with \(count) entries")
    // Entries are what is many; so many objects of their own would be 12 GB of files.
    try CacheFiller(directory: "\(place)/cache", avatar: avatar)
      .fill(count, objects: min(count, 2000)) { Self.source($0) }
    return place
  }

  private func hot(_ stage: Stage, _ server: ServerUnderTest, step: Int) throws(AvatarError) -> RequestBook {
    let book = RequestBook(host: "\(server.publicSide)", targets: (0..<1000).map { Self.path($0 * step) })
    let warm = try stage.load(
      LoadPlan(
        target: server.publicSide, book: book, arrivals: .closed, connections: 16, duration: .seconds(30), order: .once),
      "reading a thousand avatars into memory")
    guard warm.faults == 0 else { throw AvatarError(.internalFault, "hits: \(warm.statuses) \(warm.failures)") }
    return book
  }

  private static func source(_ number: Int) -> String { "http://127.0.0.1:9/restart/\(number).jpg" }
  private static func path(_ number: Int) -> String { PublicPath.unsigned(source(number)) }
}
