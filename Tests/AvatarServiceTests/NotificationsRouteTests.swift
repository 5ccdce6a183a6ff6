import AvatarCore
import AvatarCrypto
import AvatarNames
import Synchronization
import Testing

@testable import AvatarService

/// How `/v1/notifications` is reached on the control side.
struct NotificationsRouteTests {
  private struct SilentLog: EventLogging {
    func isEnabled(_ level: LogLevel) -> Bool { false }
    func log(_ level: LogLevel, _ event: StaticString, _ fields: [(StaticString, LogValue)]) {}
  }
  /// Hands its first reply to whoever waits.
  private struct Waiting: HTTPResponder {
    let continuation: CheckedContinuation<HTTPReply, Never>
    func send(_ reply: HTTPReply) { continuation.resume(returning: reply) }
    func send(_ reply: PreparedReply) { continuation.resume(returning: HTTPReply(status: reply.status, headers: [])) }
  }

  private func side(_ stage: Stage) -> ControlSide {
    let prefetcher = NotificationsTests.prefetcher(stage)
    let metrics = Metrics()
    return ControlSide(
      access: ControlGuard(tokens: ["secret-token-of-a-test"], hashing: OpenSSLHashing()), prefetcher: prefetcher,
      notifications: NotificationsEndpoint(prefetcher: prefetcher, payload: Configuration().payload),
      purger: Purger(store: stage.store, naming: stage.naming, names: IDN2Names()),
      inspector: Inspector(resolver: stage.resolver, parts: stage.parts, names: IDN2Names(), limits: ImageLimits()),
      figures: Figures(
        metrics: metrics, resolver: stage.resolver, prefetcher: prefetcher, version: "0",
        workers: { Figures.Workers(busy: 0, up: 0, queued: 0, restarts: [:]) },
        fetches: { Figures.Fetches(inFlight: 0, queued: 0) }, connections: { 0 }),
      journal: RequestJournal(metrics: metrics, log: SilentLog()), budget: .seconds(4),
      readiness: { Readiness(ready: true, degraded: []) })
  }

  @Test(
    arguments: [
      (HTTPRequest.Method.post, "application/json", "Bearer secret-token-of-a-test", 200),
      (.post, "Application/JSON ; charset=utf-8", "bearer secret-token-of-a-test", 200),
      (.post, "text/plain", "Bearer secret-token-of-a-test", 415), (.post, nil, "Bearer secret-token-of-a-test", 415),
      (.post, "application/json", "Bearer wrong", 401), (.post, "application/json", nil, 401),
      (.get, nil, "Bearer secret-token-of-a-test", 405), (.head, nil, "Bearer secret-token-of-a-test", 405),
    ] as [(HTTPRequest.Method, String?, String?, Int)])
  func `only a POST of JSON with a token gets through`(
    method: HTTPRequest.Method, type: String?, authorization: String?, status: Int
  ) async {
    let request = HTTPRequest(
      method: method, path: "/v1/notifications", query: nil, body: Array(#"{"payload":[]}"#.utf8)
    ) { name in
      switch "\(name)" {
      case "Content-Type": type
      case "Authorization": authorization
      default: nil
      }
    }
    let reply = await withCheckedContinuation { continuation in
      switch side(Stage()).respond(to: request) {
      case .reply(let reply): continuation.resume(returning: reply)
      case .later(let begin): begin(Waiting(continuation: continuation))
      case .prepared(let reply): continuation.resume(returning: HTTPReply(status: reply.status, headers: []))
      }
    }
    #expect(reply.status == status)
    if status == 200 { #expect(reply.body.bytes.starts(with: #"{"payload":[],"#.utf8)) }
    if status == 405 { #expect(reply.headers.contains { $0.name == "Allow" && $0.value == "POST" }) }
  }
}
