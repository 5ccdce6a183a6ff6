import AvatarCore
import Synchronization

/// The main story: a message is sent, the push goes out, the phone asks.
struct PrefetchScenario: Scenario {
  let name = "prefetch-then-hit"
  let story = "message sent, avatars prefetched, push delivered, phone asks: the origin is never asked for the phone"

  private static let lanes = 16

  func play(on stage: Stage, into result: inout ScenarioResult) throws(AvatarError) {
    let origin = try stage.origin("jpeg-400", "jpeg-1024", "png-512")
    let server = try stage.server(["fetch-per-host-concurrency": "64"])
    let count = Int(20 * stage.options.seconds)
    let kinds = ["jpeg-400", "jpeg-1024", "png-512"]
    let sources = (0..<count).map { origin.url(kinds[$0 % kinds.count], "push", $0, "delay=20ms") }
    stage.step("20 messages a second, each with the phone 200 ms behind")
    let story = Messages(sources: sources, perSecond: 20, server: server)
    let threads = try (0..<Self.lanes).map { (lane) throws(AvatarError) in
      try NamedThread("bench-push-\(lane)") { story.send() }
    }
    for thread in threads { thread.join() }
    let seen = story.seen
    var fetched = 0
    for kind in kinds { fetched += try origin.requests(kind, "push") }
    result.show(seen.gets, as: "the phone's GET")
    result.show(seen.posts, as: "the backend's prefetch")
    result.add("messages", Double(seen.posts.requests), .count)
    result.add("p99 of the phone's GET", Double(seen.gets.latency.value(at: 0.99)) / 1e9, .seconds)
    result.add("p99 of the prefetch", Double(seen.posts.latency.value(at: 0.99)) / 1e9, .seconds)
    result.add("origin requests for phones", Double(fetched - seen.posts.requests), .count)
    result.add("answers that were no hit", Double(seen.gets.answers - seen.gets.hits), .count)
    result.add("faults", Double(seen.gets.faults + seen.posts.faults), .count)
  }

  /// Messages that fall due one after the other; several threads see them through.
  private final class Messages: Sendable {
    private let sources: [String]
    private let gap: UInt64
    private let begin = Nanoseconds.now + 50_000_000
    private let (publicSide, control): (Endpoint, Endpoint)
    private let state = Mutex((next: 0, gets: LoadOutcome(), posts: LoadOutcome()))

    init(sources: [String], perSecond: Double, server: ServerUnderTest) {
      self.sources = sources
      gap = UInt64(1e9 / perSecond)
      (publicSide, control) = (server.publicSide, server.control)
    }

    var seen: (gets: LoadOutcome, posts: LoadOutcome) { state.withLock { ($0.gets, $0.posts) } }

    func send() {
      let backend = Prefetch(control)
      let phone = PlainClient(publicSide)
      while let number = take() {
        let due = begin + UInt64(number) * gap
        Self.wait(until: due)
        let path = (try? backend.ready([sources[number]]))?.first?.avatarPath
        note(\.posts, due: due, status: path == nil ? 0 : 200)
        guard let path else { continue }
        // The push is on its way to the phone.
        let asked = Nanoseconds.now + 200_000_000
        Self.wait(until: asked)
        let answer = phone.ask("GET", path)
        note(\.gets, due: asked, status: answer?.status ?? 0, isHit: answer?.head.contains("; hit") ?? false)
      }
    }

    private func take() -> Int? {
      state.withLock { state in
        guard state.next < sources.count else { return nil }
        defer { state.next += 1 }
        return state.next
      }
    }

    private func note(
      _ which: WritableKeyPath<(next: Int, gets: LoadOutcome, posts: LoadOutcome), LoadOutcome>, due: UInt64,
      status: Int, isHit: Bool = false
    ) {
      let latency = Nanoseconds.now - due
      state.withLock { state in
        if status == 200 {
          state[keyPath: which].latency.record(latency)
          state[keyPath: which].timeline.record(start: due - begin, latency: latency)
          if isHit { state[keyPath: which].hits += 1 }
        } else {
          state[keyPath: which].failures[.closed, default: 0] += 1
        }
      }
    }

    private static func wait(until moment: UInt64) {
      while true {
        let now = Nanoseconds.now
        guard now < moment else { return }
        Pause.nanoseconds(moment - now)
      }
    }
  }
}
