import AvatarCore
import Synchronization

/// Hits while a backend prefetches thousands of avatars.
struct PrefetchStormScenario: Scenario {
  let name = "prefetch-storm"
  let story = "hits, alone and while a backend prefetches ten thousand avatars in batches of 250"

  private static let batch = 250

  func play(on stage: Stage, into result: inout ScenarioResult) throws(AvatarError) {
    let origin = try stage.origin("jpeg-400")
    let server = try stage.server(["fetch-per-host-concurrency": "64"])
    let path = PublicPath.unsigned(origin.url("jpeg-400", "hit", 1))
    _ = try PlainClient(server.publicSide).get(path)
    let count = stage.options.scaled(10_000, least: 1000)
    let hits = LoadPlan(
      target: server.publicSide, book: RequestBook(host: "\(server.publicSide)", targets: [path]),
      arrivals: .open(perSecond: 1000), connections: 64, duration: stage.span)
    let quiet = try stage.load(hits, "hits alone")

    let backend = Backend(server.control, sources: (0..<count).map { origin.url("jpeg-400", "storm", $0) })
    let thread = try NamedThread("bench-backend") { backend.prefetch(Self.batch) }
    // As long as there is something left to prefetch, and no longer: what is measured is the storm.
    var loud = LoadOutcome()
    while !backend.isDone(server) {
      var part = hits
      part.duration = .seconds(1)
      loud.merge(try stage.load(part, "hits beside \(count) prefetches"))
    }
    thread.join()
    result.show(quiet, as: "hits alone")
    result.show(loud, as: "hits during the storm")
    let (alone, during) = (Double(quiet.latency.value(at: 0.99)) / 1e9, Double(loud.latency.value(at: 0.99)) / 1e9)
    result.add("prefetched", Double(count), .count)
    result.add("p99 alone", alone, .seconds)
    result.add("p99 during", during, .seconds)
    result.add("p99 over what is allowed", during - max(2 * alone, alone + 0.002), .seconds)
    result.add("fetches beyond one an avatar", Double(try origin.requests("jpeg-400", "storm") - count), .count)
    result.add("faults", Double(quiet.faults + loud.faults + backend.refused), .count)
  }

  /// Sends batch after batch, and each again that is shed.
  private final class Backend: Sendable {
    private let client: Endpoint
    private let sources: [String]
    private let state = Mutex((isSent: false, refused: 0))

    init(_ control: Endpoint, sources: [String]) { (client, self.sources) = (control, sources) }

    /// Batches that were answered by something else than 200, 202 or 503.
    var refused: Int { state.withLock { $0.refused } }

    func prefetch(_ size: Int) {
      let control = PlainClient(client)
      for first in stride(from: 0, to: sources.count, by: size) {
        let list = sources[first..<min(first + size, sources.count)].map { "\"\($0)\"" }.joined(separator: ",")
        while true {
          let status = control.ask("POST", "/v1/prefetch", body: "{\"urls\":[\(list)]}")?.status ?? 0
          if status == 503 {
            Pause.milliseconds(20)
            continue
          }
          if status != 200, status != 202 { state.withLock { $0.refused += 1 } }
          break
        }
      }
      state.withLock { $0.isSent = true }
    }

    /// Whether all was sent and nothing is under way any more.
    func isDone(_ server: ServerUnderTest) -> Bool {
      state.withLock { $0.isSent } && server.metric("avatar_prefetches_pending") == 0
    }
  }
}
