public import AvatarCore
import Synchronization

/// Counts every request and writes one line for each on the miss and control paths; hits only at `debug`.
public final class RequestJournal: Sendable {
  /// What is counted.
  public let metrics: Metrics
  let log: any EventLogging
  private let intrusions = Mutex(LogAllowance())

  /// Notes into `metrics` and `log`.
  public init(metrics: Metrics, log: any EventLogging) {
    self.metrics = metrics
    self.log = log
  }

  /// Notes a plain hit from memory; what each hit pays.
  func noteHit(_ avatar: HotAvatar, status: Int, since start: MonotonicTime) {
    let elapsed = MonotonicTime.now.nanoseconds - start.nanoseconds
    metrics.noteHit(status: status, nanoseconds: elapsed)
    guard log.isEnabled(.debug) else { return }
    log.log(
      .debug, "request",
      [
        ("route", .text(Route.avatar.name)), ("status", .number(Int64(status))),
        ("elapsedMs", .duration(.nanoseconds(elapsed))), ("cache", .text("avatar-server; hit")),
        ("key", .text(avatar.entry.key.description)),
      ])
  }

  /// Notes an avatar's answer.
  func note(
    _ route: Route, _ answer: Answer, _ target: AvatarTarget?, status: Int, since start: ContinuousClock.Instant,
    _ trace: @autoclosure () -> TraceContext? = nil
  ) {
    let elapsed = ContinuousClock.now - start
    metrics.note(route, status: status, cache: use(answer), elapsed: elapsed)
    var code: AvatarError.Code?
    if case .failure(let error, _) = answer.outcome {
      metrics.note(error.code)
      code = error.code
    }
    let level: LogLevel = answer.origin == nil && code == nil ? .debug : .info
    guard log.isEnabled(level) else { return }
    var fields: [(StaticString, LogValue)] = [
      ("route", .text(route.name)), ("status", .number(Int64(status))), ("elapsedMs", .duration(elapsed)),
      ("cache", .text(answer.cacheStatus.fieldValue)),
    ]
    if let source = target?.sources[answer.index ?? 0] {
      fields += [("source", .text(source.url.withoutQuery)), ("key", .text(source.key.description))]
    } else if let avatar = answer.avatar {
      fields.append(("key", .text(avatar.entry.key.description)))
    }
    if let code { fields.append(("code", .text(code.rawValue))) }
    if case .failure(let error, _) = answer.outcome, !error.detail.isEmpty {
      fields.append(("detail", .text(error.detail)))
    }
    if let origin = answer.origin {
      fields.append(("fetchMs", .duration(origin.fetched)))
      if let decoded = origin.decoded { fields.append(("decodeMs", .duration(decoded))) }
    }
    log.log(level, "request", fields + traceFields(trace()))
  }

  /// Notes an answer that is not an avatar's.
  func note(
    _ route: Route, status: Int, since start: ContinuousClock.Instant, _ trace: @autoclosure () -> TraceContext? = nil,
    code: AvatarError.Code? = nil
  ) {
    let elapsed = ContinuousClock.now - start
    metrics.note(route, status: status, cache: .none, elapsed: elapsed)
    if let code { metrics.note(code) }
    let level: LogLevel =
      switch route {
      case .prefetch, .notifications, .purge, .inspect: .info
      default: .debug
      }
    guard log.isEnabled(level) else { return }
    var fields: [(StaticString, LogValue)] = [
      ("route", .text(route.name)), ("status", .number(Int64(status))), ("elapsedMs", .duration(elapsed)),
    ]
    if let code { fields.append(("code", .text(code.rawValue))) }
    log.log(level, "request", fields + traceFields(trace()))
  }

  /// Notes a refusal. Failed authentications are written at a bounded rate; the metrics count every one.
  func note(
    _ route: Route, _ error: AvatarError, since start: ContinuousClock.Instant,
    _ trace: @autoclosure () -> TraceContext? = nil
  ) {
    metrics.note(error.code)
    metrics.note(route, status: error.code.status, cache: .none, elapsed: ContinuousClock.now - start)
    guard log.isEnabled(.info) else { return }
    var fields: [(StaticString, LogValue)] = [("route", .text(route.name)), ("code", .text(error.code.rawValue))]
    if !error.detail.isEmpty { fields.append(("detail", .text(error.detail))) }
    switch error.code {
    case .unauthorized, .invalidSignature, .unsignedNotAllowed, .hostNotAllowed:
      guard let heldBack = intrusions.withLock({ $0.take(now: .now) }) else { return }
      if heldBack > 0 { fields.append(("heldBack", .number(heldBack))) }
    default: break
    }
    log.log(.info, "refused", fields + traceFields(trace()))
  }

  private func traceFields(_ trace: TraceContext?) -> [(StaticString, LogValue)] {
    guard let trace else { return [] }
    var fields: [(StaticString, LogValue)] = [("requestID", .text(trace.requestID))]
    if let parent = trace.traceparent { fields.append(("traceparent", .text(parent))) }
    return fields
  }

  private func use(_ answer: Answer) -> Metrics.CacheUse {
    if answer.cacheStatus.isCollapsed { return .collapsed }
    if answer.origin != nil { return .miss }
    guard case .avatar(_, let freshness) = answer.outcome else { return .none }
    return freshness.state == .fresh ? .hit : .stale
  }
}
