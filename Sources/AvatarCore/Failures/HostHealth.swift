/// Whether a host may be asked now.
public enum HostVerdict: Hashable, Sendable {
  /// Ask.
  case go
  /// Ask, as the one request that finds out whether a host that failed is back; its outcome must be recorded as the probe's.
  case probe
  /// Do not ask for so long; `origin_throttled` or `origin_unreachable`.
  case wait(Duration, AvatarError.Code)
}

/// What a host is forgiven, and for how long it is left alone.
public struct HostHealthLimits: Hashable, Sendable {
  /// Failures in a row that open the breaker, 1 or more.
  public var failures: Int
  /// How long it stays open the first time; doubles with each failed probe.
  public var coolDown: Duration
  /// The longest that it stays open.
  public var maximumCoolDown: Duration
  /// The longest `Retry-After` that is believed.
  public var throttledMaximum: Duration
  /// Hosts in trouble that are remembered; healthy ones take no room.
  public var hosts: Int

  /// Makes limits.
  public init(
    failures: Int = 5, coolDown: Duration = .seconds(10), maximumCoolDown: Duration = .seconds(60),
    throttledMaximum: Duration = .seconds(3600), hosts: Int = 4096
  ) {
    self.failures = failures
    self.coolDown = coolDown
    self.maximumCoolDown = maximumCoolDown
    self.throttledMaximum = throttledMaximum
    self.hosts = hosts
  }
}

/// Kindness to origins: a host's `Retry-After` is honoured for all of the host, and one that cannot be reached is left alone but for
/// single probes. A pure, bounded value; `now` is handed in.
///
/// What opens the breaker is the network alone: not reached, TLS failed, timed out, broken protocol, so many in a row. Any HTTP answer,
/// even an error, shows that the host is there and closes it. A host is named as the caller likes, by its authority for example.
public struct HostHealth: Sendable {
  private struct Trouble: Sendable {
    var failures = 0
    /// Set while the breaker is open.
    var opened: (until: ContinuousClock.Instant, coolDown: Duration)?
    /// A probe that has not reported by then counts as lost, so that none can close a host off for good.
    var probeEnds: ContinuousClock.Instant?
    var throttledUntil: ContinuousClock.Instant?

    func verdict(now: ContinuousClock.Instant) -> HostVerdict {
      if let throttledUntil, throttledUntil > now { return .wait(throttledUntil - now, .originThrottled) }
      guard let opened else { return .go }
      if opened.until > now { return .wait(opened.until - now, .originUnreachable) }
      // A probe is out: what it finds is known soon, most likely.
      if let probeEnds, probeEnds > now { return .wait(min(.seconds(1), probeEnds - now), .originUnreachable) }
      return .probe
    }
  }

  private let limits: HostHealthLimits
  private var troubles: SieveCache<String, Trouble>

  /// All hosts healthy.
  public init(limits: HostHealthLimits = HostHealthLimits()) {
    precondition(limits.failures > 0)
    self.limits = limits
    troubles = SieveCache(capacity: limits.hosts)
  }

  /// Whether `host` may be asked; a `.probe` is handed out once until its outcome is noted or `maximumCoolDown` has passed.
  public mutating func verdict(on host: String, now: ContinuousClock.Instant) -> HostVerdict {
    guard var trouble = troubles.lookup(host) else { return .go }
    let verdict = trouble.verdict(now: now)
    if verdict == .probe {
      trouble.probeEnds = now + limits.maximumCoolDown
      troubles.insert(trouble, for: host)
    }
    return verdict
  }

  /// What `verdict` would say, without handing out a probe; for people.
  public func outlook(on host: String, now: ContinuousClock.Instant) -> HostVerdict {
    troubles.peek(host)?.verdict(now: now) ?? .go
  }

  /// Notes a 200 or 304.
  public mutating func noteSuccess(_ host: String, now: ContinuousClock.Instant) { noteAnswer(host, now: now) }

  /// Notes how a request failed.
  ///
  /// Failures that come in while the breaker is open are of requests that were under way before: they neither lengthen nor
  /// double its time. Errors of our own (`overloaded`, a refused address) say nothing of the host and give a probe back.
  public mutating func noteFailure(_ host: String, _ error: AvatarError, now: ContinuousClock.Instant) {
    switch Self.kind(of: error) {
    case .answered:
      noteAnswer(host, now: now, retryAfter: error.code == .originThrottled ? error.retryAfter : nil)
    case .unreached:
      noteUnreached(host, now: now)
    case .ours:
      guard var trouble = troubles.peek(host) else { return }
      trouble.probeEnds = nil
      keep(trouble, for: host, now: now)
    }
  }

  /// Hosts that asked for patience, and hosts whose breaker is open or probed; for metrics. Walks all hosts in trouble.
  public func counts(now: ContinuousClock.Instant) -> (throttled: Int, open: Int) {
    var counts = (throttled: 0, open: 0)
    troubles.forEach { _, trouble in
      if let until = trouble.throttledUntil, until > now { counts.throttled += 1 }
      if trouble.opened != nil { counts.open += 1 }
    }
    return counts
  }

  private mutating func noteAnswer(_ host: String, now: ContinuousClock.Instant, retryAfter: Duration? = nil) {
    var trouble = Trouble()
    trouble.throttledUntil = troubles.peek(host)?.throttledUntil
    if let retryAfter {
      let until = now + min(limits.throttledMaximum, retryAfter)
      trouble.throttledUntil = max(until, trouble.throttledUntil ?? until)
    }
    keep(trouble, for: host, now: now)
  }

  private mutating func noteUnreached(_ host: String, now: ContinuousClock.Instant) {
    var trouble = troubles.peek(host) ?? Trouble()
    if let opened = trouble.opened {
      guard opened.until <= now, trouble.probeEnds != nil else { return }
      let coolDown = min(limits.maximumCoolDown, opened.coolDown * 2)
      trouble.opened = (now + coolDown, coolDown)
      trouble.probeEnds = nil
    } else {
      trouble.failures += 1
      if trouble.failures >= limits.failures {
        let coolDown = min(limits.maximumCoolDown, limits.coolDown)
        trouble.opened = (now + coolDown, coolDown)
      }
    }
    keep(trouble, for: host, now: now)
  }

  /// A host in no trouble takes no room.
  private mutating func keep(_ trouble: Trouble, for host: String, now: ContinuousClock.Instant) {
    var trouble = trouble
    if let until = trouble.throttledUntil, until <= now { trouble.throttledUntil = nil }
    if trouble.failures == 0, trouble.opened == nil, trouble.throttledUntil == nil {
      troubles.remove(host)
    } else {
      troubles.insert(trouble, for: host)
    }
  }

  private enum Kind { case answered, unreached, ours }

  private static func kind(of error: AvatarError) -> Kind {
    switch error.code {
    case .originUnreachable, .originTLSFailed, .originTimedOut, .originProtocol:
      return .unreached
    case .originNotFound, .originStatus, .originRedirect, .originThrottled, .sourceTooLarge, .sourceEmpty,
      .imageUnsupported, .imageCorrupt, .imageTooManyPixels:
      return .answered
    case .invalidRequest, .invalidSourceURL, .tooManySources, .unauthorized, .methodNotAllowed, .bodyTooLarge,
      .uriTooLong, .unsupportedMediaType, .invalidSignature, .unsignedNotAllowed, .hostNotAllowed,
      .addressNotAllowed, .notFound, .overloaded, .budgetExceeded, .notCached, .internalFault:
      return .ours
    }
  }
}
