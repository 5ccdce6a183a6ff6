import AvatarCore

/// Hits from memory: one hot avatar, a hundred thousand, and one that has to come from disk each time.
struct HitScenario: Scenario {
  let name = "hit"
  let story = "an avatar in memory, asked for by its signed URL on kept connections"

  func play(on stage: Stage, into result: inout ScenarioResult) throws(AvatarError) {
    let origin = try stage.origin("jpeg-400")
    let paths = SignedPaths()
    let keys = try SignedPaths.settings(in: stage.directory)
    let source = origin.url("jpeg-400", "hit", 1)
    let path = try paths.path(source)

    let first = try stage.server(keys)
    let bytes = try PlainClient(first.publicSide).get(path)
    let one = RequestBook(host: "\(first.publicSide)", targets: [path])
    let bare = try BareResponder(like: first.publicSide, path: path, directory: stage.directory)
    _ = try stage.load(stage.saturating(first.publicSide, one), "warming up")

    // The same avatar from the disk's cache each time: a server without a memory tier.
    let diskServer = try stage.server(keys.merging(["cache-memory-bytes": "0"]) { $1 })
    _ = try PlainClient(diskServer.publicSide).get(path)
    let disk = RequestBook(host: "\(diskServer.publicSide)", targets: [path])

    // A hundred thousand avatars, each with bytes of its own, all of them in memory.
    let count = stage.options.scaled(100_000, least: 2000)
    let many = try manyServer(stage, count: count, avatar: bytes, keys: keys)

    var costs: [Double] = []
    var toBare: [Double] = []
    var toDisk: [Double] = []
    var toMany: [Double] = []
    var generator: [Double] = []
    var saturation: [Double] = []
    var faults = 0
    for number in 1...stage.options.rounds {
      var (hit, least, far, each) = (CostSum(), CostSum(), CostSum(), CostSum())
      for turn in 1...CostSum.turns {
        func cost(
          _ tree: ProcessTree, _ target: Endpoint, _ book: RequestBook, _ what: String, order: LoadPlan.Order = .inTurn
        ) throws(AvatarError) -> CostRun {
          try stage.cost(
            of: tree, stage.saturating(target, book, order: order, turns: CostSum.turns),
            "round \(number), turn \(turn): \(what)")
        }
        hit.add(try cost(first.tree, first.publicSide, one, "hits"))
        least.add(try cost(bare.tree, bare.endpoint, bare.book, "bare"))
        far.add(try cost(diskServer.tree, diskServer.publicSide, disk, "hits from disk"))
        let seed = UInt64(number * CostSum.turns + turn)
        each.add(
          try cost(
            many.server.tree, many.server.publicSide, many.book, "\(count) avatars", order: .shuffled(seed: seed)))
      }
      costs.append(hit.perRequest)
      toBare.append(hit.perRequest / least.perRequest)
      toDisk.append(far.perRequest / hit.perRequest)
      toMany.append(each.perRequest / hit.perRequest)
      generator.append(hit.generatorPerRequest / hit.perRequest)
      saturation.append(hit.perSecond)
      faults += hit.faults + each.faults + far.faults
    }
    let rate = Figure.median(saturation) / 2
    let calm = try stage.load(
      LoadPlan(
        target: first.publicSide, book: one, arrivals: .open(perSecond: rate), connections: 64, duration: stage.span),
      "half of saturation: \(Int(rate)) hits a second")
    result.show(calm, as: "hits at half of saturation")
    result.add("p50", Double(calm.latency.value(at: 0.5)) / 1e9, .seconds)
    result.add("p99", Double(calm.latency.value(at: 0.99)) / 1e9, .seconds)
    result.add("p999", Double(calm.latency.value(at: 0.999)) / 1e9, .seconds)
    result.add("saturation", rounds: saturation, .perSecond)
    result.add("cpu", rounds: costs, .seconds)
    result.add("cpu to bare libmicrohttpd", rounds: toBare, .ratio)
    result.add("cpu from disk to memory", rounds: toDisk, .ratio)
    result.add("cpu of many avatars to one", rounds: toMany, .ratio)
    result.add("avatars", Double(count), .count)
    result.add("generator's cpu to server's", rounds: generator, .ratio)
    result.add("faults", Double(faults + calm.faults), .count)
    result.add("answers that were no hit", Double(calm.answers - calm.hits), .count)
    result.add("origin requests", Double(try origin.requests("jpeg-400", "hit")), .count)
  }

  private func manyServer(
    _ stage: Stage, count: Int, avatar: [UInt8], keys: [String: String]
  ) throws(AvatarError) -> (server: ServerUnderTest, book: RequestBook) {
    let place = "\(stage.directory)/many"
    Files.makeDirectory(place)
    stage.step("filling a cache with \(count) avatars")
    @Sendable func source(_ number: Int) -> String { "http://127.0.0.1:9/many/\(number).jpg" }
    try CacheFiller(directory: "\(place)/cache", avatar: avatar).fill(count, objects: count, source: source)
    // Room in memory for all of them and their heads: at least eleven sixteenths of it are for avatars.
    let room = count * (avatar.count + 2048) / 11 * 16 + (16 << 20)
    let server = try stage.server(keys.merging(["cache-memory-bytes": "\(room)"]) { $1 }, directory: place)
    let paths = SignedPaths()
    var targets: [String] = []
    for number in 0..<count { targets.append(try paths.path(source(number))) }
    let book = RequestBook(host: "\(server.publicSide)", targets: targets)
    let plan = LoadPlan(
      target: server.publicSide, book: book, arrivals: .closed, connections: 32, duration: .seconds(120), order: .once)
    // Once from disk, once from memory: then they are hot.
    for step in ["reading \(count) avatars into memory", "and from there"] {
      let warm = try stage.load(plan, step)
      guard warm.answers == count else {
        throw AvatarError(.internalFault, "\(warm.answers) of \(count) avatars: \(warm.statuses) \(warm.failures)")
      }
    }
    return (server, book)
  }
}
