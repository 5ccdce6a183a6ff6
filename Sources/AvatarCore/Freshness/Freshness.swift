/// What an entry is worth at one moment: whether it may be served, and how much of its life may be handed on.
public struct Freshness: Hashable, Sendable {
  /// What may be done with the entry.
  public enum State: Hashable, Sendable {
    /// Serve.
    case fresh
    /// Serve at once, refresh behind.
    case staleWhileRevalidate
    /// Wait for the refresh; serve if it fails.
    case staleIfError
    /// Not to be served.
    case expired
  }

  /// What may be done with the entry.
  public var state: State
  /// Seconds of freshness left, rounded down; -1 or less when it is over.
  public var freshFor: Int64
  /// Seconds of `stale-while-revalidate` left to hand out after the end of freshness, 0 if none.
  public var staleWhileRevalidateFor: Int64
  /// Seconds of `stale-if-error` left to hand out after the end of freshness, 0 if none.
  public var staleIfErrorFor: Int64
  /// When freshness ends or ended.
  public var freshUntil: UnixTime
  /// False for `no-store` and `private`: `max-age=0`, no `stale-*`, no object URL.
  public var maySpread: Bool
  /// RFC 9111's current_age in seconds.
  public var age: Int64
  /// The whole time that the entry is fresh, from arrival on.
  public var lifetime: Duration
  /// The moment of the assessment.
  public var assessedAt: UnixTime

  /// Seconds are rounded down; the windows are what is left of them at `assessedAt`, in full while the entry is fresh.
  init(
    freshUntil: UnixTime, lifetime: Duration, staleWhileRevalidate: Duration, staleIfError: Duration, maySpread: Bool,
    age: Int64, assessedAt: UnixTime
  ) {
    self.freshUntil = freshUntil
    self.lifetime = lifetime
    self.maySpread = maySpread
    self.age = age
    self.assessedAt = assessedAt
    let left = freshUntil - assessedAt
    let overdue = max(.zero, .zero - left)
    whileRevalidateLeft = max(.zero, staleWhileRevalidate - overdue)
    ifErrorLeft = max(.zero, staleIfError - overdue)
    freshFor = left > .zero ? left.wholeSeconds : min(-1, -((overdue + .nanoseconds(999_999_999)).wholeSeconds))
    staleWhileRevalidateFor = whileRevalidateLeft.wholeSeconds
    staleIfErrorFor = ifErrorLeft.wholeSeconds
    if left > .zero {
      state = .fresh
    } else if whileRevalidateLeft > .zero {
      state = .staleWhileRevalidate
    } else if ifErrorLeft > .zero {
      state = .staleIfError
    } else {
      state = .expired
    }
  }

  /// The moment before which no use is due ahead, whatever its chance.
  public func firstDueAhead(within limit: Duration) -> UnixTime { freshUntil + (.zero - aheadWindow(within: limit)) }

  private func aheadWindow(within limit: Duration) -> Duration { max(.zero, min(lifetime / 10, limit)) }

  /// What is left of the windows to the millisecond.
  let whileRevalidateLeft: Duration
  let ifErrorLeft: Duration

  /// Uses within a lifetime from which on an entry is popular: on average one of ten falls into the last tenth.
  public static let popularUses = 10

  /// Whether a hit on a fresh, popular entry should refresh it behind, before it goes stale.
  ///
  /// Only within the last tenth of the lifetime, and at most so long before its end as `limit` says; nought is never. `uses` are the hits since the entry came or was renewed; `chance`
  /// is uniform in 0..<1, drawn anew for each hit within that window: outside it no hit pays for it. The odds rise through the window
  /// and are measured so that about 98 of 100 popular entries are refreshed within it, each at a moment of its own, however often they are hit.
  public func isDueAhead(
    uses: Int, chance: @autoclosure () -> Double, within limit: Duration = .seconds(3600)
  ) -> Bool {
    guard state == .fresh, maySpread, uses >= Self.popularUses else { return false }
    let window = aheadWindow(within: limit)
    let left = freshUntil - assessedAt
    guard window > .zero, left < window else { return false }
    let passed = max(.milliseconds(1), lifetime - left)
    let usesInWindow = max(1, Double(uses) * (window / passed))
    let progress = 1 - left / window
    // Odds of 8p/n for each of n uses add up to 4 over the window: all are missed once in e⁴ = 55 times.
    return chance() < 8 * progress / usesInWindow
  }
}
