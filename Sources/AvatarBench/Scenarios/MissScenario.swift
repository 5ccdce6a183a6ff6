import AvatarCore
import BenchNormalize

/// Misses by the kind of picture: fetch, checks, isolation, decode, encode, store.
struct MissScenario: Scenario {
  let name = "miss"
  let story = "avatars nobody has asked for before, from an origin 20 ms away, and what each kind costs"

  /// The kinds whose cost is also given as a part of what libvips' own thumbnail of the same pictures takes, measured in turn: times drift with
  /// the machine, and the pictures are our own.
  static let measuredByLibrary = ["jpeg-400", "jpeg-1024"]

  /// The kind that nginx's `image_filter` makes avatars of as well, in the same rounds, and the time it takes where the budgets were set.
  static let measuredByFilter = "jpeg-1024"
  static let filterTime = 0.012

  /// Kinds, and how many times the CPU time of one is measured over; a 12-megapixel photo takes as long as ten small ones.
  static let kinds = [
    ("jpeg-400", 1.0), ("jpeg-1024", 1), ("png-512", 1), ("webp-512", 1), ("gif-256", 1), ("svg", 1),
    ("jpeg-12mp", 0.2),
  ]

  func play(on stage: Stage, into result: inout ScenarioResult) throws(AvatarError) {
    let origin = try stage.origin("jpeg-400", "jpeg-1024", "png-512", "webp-512", "gif-256", "svg", "jpeg-12mp")
    // One origin plays them all: what bounds a host is not what is measured.
    let server = try stage.server(["fetch-per-host-concurrency": "64"])
    let filter = stage.imageFilter()
    var faults = 0
    for (kind, part) in Self.kinds {
      let isCompared = Self.measuredByLibrary.contains(kind)
      let rounds = isCompared ? stage.options.rounds : 1
      let count = max(Int(120 * stage.options.seconds * part) / rounds, 4)
      let samples = isCompared ? try origin.pictures(kind, count: 8) : []
      var (costs, ratios, parts): ([Double], [Double], [Double]) = ([], [], [])
      for round in 1...rounds {
        let targets = (0..<count).map { PublicPath.unsigned(origin.url(kind, "cost-\(round)", $0)) }
        let cost = try stage.cost(
          of: server.tree, plan(server.publicSide, targets), "\(kind): \(count) at two at a time")
        costs.append(cost.perRequest)
        faults += cost.outcome.faults
        guard isCompared else { continue }
        stage.step("\(kind): vips_thumbnail of the same pictures")
        let library = try NormalizerComparison.library(
          of: samples.map { .init(name: kind, bytes: $0) }, seconds: stage.options.seconds / 20)
        ratios.append(cost.perRequest / (library / 1e6))
        guard let filter, kind == Self.measuredByFilter else { continue }
        let peers = (0..<count).map { filter.path(of: origin.url(kind, "filter-\(round)", $0)) }
        let other = try stage.cost(
          of: filter.tree, plan(filter.endpoint, peers), "\(kind): image_filter of \(count), two at a time")
        if other.outcome.faults > 0 { stage.doubt("image_filter failed \(other.outcome.faults) times") }
        parts.append(cost.perRequest / other.perRequest)
      }
      result.add("cpu \(kind)", rounds: costs, .seconds)
      if isCompared { result.add("cpu \(kind) to vips_thumbnail", rounds: ratios, .ratio) }
      guard !parts.isEmpty else { continue }
      result.add("cpu \(kind) to image_filter", rounds: parts, .ratio)
      result.add(
        "cpu \(kind) where image_filter takes 12 ms", rounds: parts.map { $0 * Self.filterTime }, .seconds)
    }
    let count = Int(20 * stage.options.seconds)
    let mixture = ["jpeg-400", "jpeg-1024", "png-512", "webp-512", "jpeg-400"]
    let targets = (0..<count).map { number in
      PublicPath.unsigned(origin.url(mixture[number % mixture.count], "calm", number, "delay=20ms"))
    }
    let calm = try stage.load(
      LoadPlan(
        target: server.publicSide, book: RequestBook(host: "\(server.publicSide)", targets: targets),
        arrivals: .open(perSecond: 20), connections: 64, duration: stage.span, order: .once),
      "20 misses a second from an origin 20 ms away")
    result.show(calm, as: "misses")
    result.add("p50", Double(calm.latency.value(at: 0.5)) / 1e9, .seconds)
    result.add("p99", Double(calm.latency.value(at: 0.99)) / 1e9, .seconds)
    result.add("faults", Double(faults + calm.faults), .count)
    var fetched = 0
    for kind in Set(mixture) { fetched += try origin.requests(kind, "calm") }
    result.add("fetches beyond one an avatar", Double(fetched - calm.requests), .count)
    result.add("server memory", Double(server.tree.rootMemory), .bytes)
    result.add("worker memory", Double(server.tree.largestChildMemory), .bytes)
  }

  /// All targets once, two at a time and as fast as it goes: CPU time, not waiting.
  private func plan(_ target: Endpoint, _ targets: [String]) -> LoadPlan {
    LoadPlan(
      target: target, book: RequestBook(host: "\(target)", targets: targets), arrivals: .closed, connections: 2,
      duration: .seconds(60), order: .once)
  }
}
