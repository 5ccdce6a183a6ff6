public import AvatarCore
import Synchronization

/// The control side: prefetch, purge, inspect, numbers, health, and the page for people. (Contract, section 5.)
public final class ControlSide: HTTPHandling {
  private let access: Mutex<ControlGuard>
  private let prefetcher: Prefetcher
  private let notifications: NotificationsEndpoint
  private let purger: Purger
  private let inspector: Inspector
  private let readiness: @Sendable () -> Readiness
  private let figures: Figures
  private let journal: RequestJournal
  private let budget: Duration
  /// The page, open and asking for a token.
  private let pages: (open: HTTPReply, locked: HTTPReply)

  /// Joins the control side's parts; `readiness` is asked at each `/readyz`.
  public init(
    access: ControlGuard, prefetcher: Prefetcher, notifications: NotificationsEndpoint, purger: Purger,
    inspector: Inspector, figures: Figures, journal: RequestJournal, budget: Duration,
    readiness: @escaping @Sendable () -> Readiness
  ) {
    self.access = Mutex(access)
    self.prefetcher = prefetcher
    self.notifications = notifications
    self.purger = purger
    self.inspector = inspector
    self.figures = figures
    self.journal = journal
    self.budget = budget
    self.readiness = readiness
    let hashing = figures.resolver.cache.hashing
    pages = (
      StatusPage.reply(asksForToken: false, hashing: hashing), StatusPage.reply(asksForToken: true, hashing: hashing)
    )
  }

  /// Takes new tokens in (SIGHUP).
  public func replaceAccess(_ new: ControlGuard) { access.withLock { $0 = new } }

  private enum Work {
    case now(HTTPReply)
    case later(@Sendable () async -> HTTPReply)
  }

  /// Routes a request past the guard to its part. Every answer carries the request's id, the caller's own or one made here.
  public func respond(to request: HTTPRequest) -> HTTPDisposition {
    let started = ContinuousClock.now
    let route = Self.route(request.path)
    let trace = TraceContext(request)
    do {
      switch try work(request, route) {
      case .now(let reply):
        journal.note(route, status: reply.status, since: started, trace, code: Problem.code(of: reply))
        return .reply(Self.finished(reply, trace))
      case .later(let run):
        return .later { [journal] responder in
          Task {
            let reply = await run()
            journal.note(route, status: reply.status, since: started, trace, code: Problem.code(of: reply))
            responder.send(Self.finished(reply, trace))
          }
        }
      }
    } catch {
      journal.note(route, error, since: started, trace)
      let extra = error.code == .unauthorized ? [HeaderField("WWW-Authenticate", "Bearer")] : []
      return .reply(Self.finished(Problem.reply(error, extra: extra), trace))
    }
  }

  /// With the request's id, and without what invites other sites' pages to read.
  private static func finished(_ reply: HTTPReply, _ trace: TraceContext) -> HTTPReply {
    var reply = reply
    reply.headers.removeAll { $0.name == "Access-Control-Allow-Origin" }
    reply.headers.append(HeaderField("X-Request-Id", trace.requestID))
    return reply
  }

  private static func route(_ path: String) -> Route {
    switch path {
    case "/healthz", "/readyz": .health
    case "/metrics": .metrics
    case "/v1/prefetch": .prefetch
    case "/v1/notifications": .notifications
    case "/v1/purge": .purge
    case "/v1/inspect": .inspect
    case "/v1/stats": .stats
    case "/": .page
    case "/openapi.json": .openapi
    default: .other
    }
  }

  /// The methods that a resource takes.
  public func allowedMethods(at path: String) -> [HTTPRequest.Method]? {
    switch Self.route(path) {
    case .prefetch, .notifications, .purge: [.post]
    case .inspect: [.get, .head, .post]
    case .stats, .metrics, .health, .page, .openapi: [.get, .head]
    case .avatar, .object, .other, .stray: nil
    }
  }

  private func work(_ request: HTTPRequest, _ route: Route) throws(AvatarError) -> Work {
    if route != .health {
      try access.withLock { $0 }.admit(request, needsToken: request.path.hasPrefix("/v1/"))
    }
    if let methods = allowedMethods(at: request.path), !methods.contains(request.method) {
      let allow = HeaderField("Allow", methods.map(\.rawValue).joined(separator: ", "))
      return .now(Problem.reply(AvatarError(.methodNotAllowed), extra: [allow]))
    }
    switch route {
    case .health: return .now(health(request.path))
    case .metrics, .stats, .page, .openapi: return .now(shown(route))
    case .inspect:
      let store = request.method == .post
      if store { try JSONReply.requireJSON(request) }
      let query = request.query ?? ""
      return .later { [inspector] in await inspector.reply(query: query, store: store) }
    case .prefetch:
      let order: PrefetchOrder = try JSONReply.read(request)
      return .later { [prefetcher, budget] in await prefetcher.reply(order, longest: budget) }
    case .notifications:
      try JSONReply.requireJSON(request)
      return .later { [notifications, budget, body = request.body] in
        await notifications.reply(body, longest: budget)
      }
    case .purge:
      let order: PurgeOrder = try JSONReply.read(request)
      return .later { [purger] in await purger.reply(order) }
    case .avatar, .object, .other, .stray: throw AvatarError(.notFound)
    }
  }

  /// What is there to look at.
  private func shown(_ route: Route) -> HTTPReply {
    switch route {
    case .metrics: JSONReply.text(figures.prometheus(), type: "text/plain; version=0.0.4; charset=utf-8")
    case .stats: JSONReply.make(figures.snapshot())
    case .openapi: JSONReply.text(OpenAPIDocument.text, type: "application/json")
    default: access.withLock { $0.needsTokens } ? pages.locked : pages.open
    }
  }

  private func health(_ path: String) -> HTTPReply {
    guard path == "/readyz" else { return HealthReply.alive }
    let state = readiness()
    return JSONReply.make(state, status: state.ready ? 200 : 503)
  }
}

/// Whether the service is ready, and what of it is degraded.
public struct Readiness: Codable, Sendable {
  /// Ready for requests: workers up and confined, not draining.
  public var ready: Bool
  /// What does not work as it should, in plain words; ready all the same unless `ready` says no.
  public var degraded: [String]
  /// Names a state.
  public init(ready: Bool, degraded: [String]) {
    self.ready = ready
    self.degraded = degraded
  }
}
