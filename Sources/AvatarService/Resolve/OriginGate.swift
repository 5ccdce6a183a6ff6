import AvatarCore
import Synchronization

/// Kindness to origins: a host's Retry-After is honoured, and one that fails again and again is left alone for a while.
final class OriginGate: Sendable {
  private let health: Mutex<HostHealth>

  init(_ limits: HostHealthLimits) { health = Mutex(HostHealth(limits: limits)) }

  /// Returns if `url`'s origin may be asked now; throws `origin_throttled` or `origin_unreachable` with the time left.
  func admit(_ url: SourceURL) throws(AvatarError) {
    let verdict = health.withLock { $0.verdict(on: Self.authority(url), now: .now) }
    switch verdict {
    case .go, .probe: return
    case .wait(let remaining, let code):
      throw AvatarError(code, "left alone for now: \(Self.authority(url))", retryAfter: remaining)
    }
  }

  /// What `admit` would decide, without taking a probe; for `inspect`.
  func outlook(_ url: SourceURL) -> HostVerdict { health.withLock { $0.outlook(on: Self.authority(url), now: .now) } }

  /// Records how an exchange ended.
  func record(_ url: SourceURL, _ error: AvatarError?) {
    health.withLock { health in
      let host = Self.authority(url)
      guard let error else { return health.noteSuccess(host, now: .now) }
      health.noteFailure(host, error, now: .now)
    }
  }

  /// Hosts throttled and breakers open at present, for metrics.
  var statistics: (throttled: Int, open: Int) { health.withLock { $0.counts(now: .now) } }

  private static func authority(_ url: SourceURL) -> String { "\(url.scheme.rawValue)://\(url.host.text):\(url.port)" }
}
