/// How long a failure is remembered, by its cause (contract, section 2, `negative.*`).
public struct NegativePolicy: Hashable, Sendable {
  /// For `origin_not_found`; `negative.notFound`.
  public var notFound: Duration
  /// For every 422; `negative.undecodable`.
  public var undecodable: Duration
  /// For every 502 and `origin_timed_out`; `negative.unreachable`.
  public var unreachable: Duration
  /// The longest `Retry-After` that is believed.
  public var throttledMaximum: Duration
  /// For `origin_throttled` without a `Retry-After`.
  public var throttledDefault: Duration

  /// Makes a policy; the defaults are the contract's.
  public init(
    notFound: Duration = .seconds(3600), undecodable: Duration = .seconds(3600), unreachable: Duration = .seconds(30),
    throttledMaximum: Duration = .seconds(3600), throttledDefault: Duration = .seconds(60)
  ) {
    self.notFound = notFound
    self.undecodable = undecodable
    self.unreachable = unreachable
    self.throttledMaximum = throttledMaximum
    self.throttledDefault = throttledDefault
  }

  /// How long to remember `error`; nil if it is not remembered at all.
  ///
  /// `jitter` in -1…1 moves the time by up to 10 % either way, so that what failed together is not tried again together. A `Retry-After`
  /// is only ever made longer, since asking sooner is what the origin forbade; it counts as a second at least.
  public func lifetime(of error: AvatarError, jitter: Double) -> Duration? {
    let jitter = jitter.isFinite ? min(1, max(-1, jitter)) : 0
    let base: Duration
    switch error.code {
    case .originNotFound:
      base = notFound
    case .imageUnsupported, .imageCorrupt, .imageTooManyPixels, .sourceTooLarge, .sourceEmpty:
      base = undecodable
    case .originUnreachable, .originTLSFailed, .originStatus, .originRedirect, .originProtocol, .originTimedOut:
      base = unreachable
    case .originThrottled:
      guard let asked = error.retryAfter else {
        base = throttledDefault
        break
      }
      return min(throttledMaximum, max(.seconds(1), asked)) * (1 + 0.1 * jitter.magnitude)
    case .invalidRequest, .invalidSourceURL, .tooManySources, .unauthorized, .methodNotAllowed, .bodyTooLarge,
      .uriTooLong, .unsupportedMediaType, .invalidSignature, .unsignedNotAllowed, .hostNotAllowed,
      .addressNotAllowed, .notFound, .overloaded, .budgetExceeded, .notCached, .internalFault:
      return nil
    }
    return base * (1 + 0.1 * jitter)
  }

  /// Whether `error` says something of the exact URL alone and not of the avatar's identity: an origin's 401 or 403, as of a presigned
  /// URL that has expired.
  public static func isForExactURL(_ error: AvatarError) -> Bool {
    error.originStatus == 401 || error.originStatus == 403
  }
}
