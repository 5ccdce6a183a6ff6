/// When a stored avatar is fresh, stale or gone: a pure function of what the origin said and of `now` (contract, sections 2 and 4).
///
/// - What the origin said, less the age that the answer had on arrival, is brought into `minimum`…`maximum` and counts from arrival: an
///   answer that was stale already when it came still spares the origin for `minimum`. `lifetime` counts from arrival in full.
/// - `no-cache` counts as a lifetime of 0. `no-store` and `private` are kept for `minimum` exactly and never served stale.
/// - Both stale windows count from the end of freshness.
/// - A clock that has gone back behind an entry's arrival: by no more than the entry's lifetime, the entry counts as having just come (a
///   step makes it live two lifetimes longer at most, and nothing is refreshed for the step's sake); by more, it is stale
///   from this moment on (served at once where it may be, and each use asks the origin, whose answer puts the time right). It
///   is never fresh for longer than its lifetime from now, and the cache is never cold at once.
public struct FreshnessPolicy: Hashable, Sendable {
  /// The lifetime where the origin says nothing; `freshness.default`.
  public var lifetime: Duration
  /// The shortest lifetime; `freshness.minimum`.
  public var minimum: Duration
  /// The longest lifetime; `freshness.maximum`.
  public var maximum: Duration
  /// How long after its freshness an entry is served at once; `freshness.staleWhileRevalidate`.
  public var staleWhileRevalidate: Duration
  /// How long after its freshness an entry is served if its refresh fails; `freshness.staleIfError`.
  public var staleIfError: Duration

  /// The bound on `staleIfError` where the origin asked to be asked each time (`no-cache`, `must-revalidate`, `proxy-revalidate`).
  public static let staleIfErrorWhereRevalidationIsAsked = Duration.seconds(3600)

  /// Makes a policy; the defaults are the contract's.
  public init(
    lifetime: Duration = .seconds(86_400), minimum: Duration = .seconds(300), maximum: Duration = .seconds(30 * 86_400),
    staleWhileRevalidate: Duration = .seconds(7 * 86_400), staleIfError: Duration = .seconds(30 * 86_400)
  ) {
    self.lifetime = lifetime
    self.minimum = minimum
    self.maximum = maximum
    self.staleWhileRevalidate = staleWhileRevalidate
    self.staleIfError = staleIfError
  }

  /// What the entry is worth at `now`. `staleSince` is the moment of a soft purge: the entry is stale, and its windows count from then.
  public func assess(_ metadata: OriginMetadata, staleSince: UnixTime?, now: UnixTime) -> Freshness {
    let lifetime = lifetime(of: metadata)
    let resident = now - metadata.receivedAt
    var freshUntil = metadata.receivedAt + lifetime
    if resident < .zero {
      freshUntil = .zero - resident <= lifetime ? now + lifetime : now
    }
    if let staleSince { freshUntil = min(freshUntil, staleSince, now) }

    let directives = metadata.directives
    let maySpread = directives.isDisjoint(with: [.noStore, .isPrivate])
    let asksForRevalidation = !directives.isDisjoint(with: [.noCache, .mustRevalidate, .proxyRevalidate])
    var (whileRevalidate, ifError) = (staleWhileRevalidate, staleIfError)
    if asksForRevalidation {
      whileRevalidate = .zero
      ifError = min(ifError, Self.staleIfErrorWhereRevalidationIsAsked)
    }
    if !maySpread { (whileRevalidate, ifError) = (.zero, .zero) }
    return Freshness(
      freshUntil: freshUntil, lifetime: lifetime, staleWhileRevalidate: whileRevalidate, staleIfError: ifError,
      maySpread: maySpread,
      age: DeltaSeconds.clamp(metadata.initialAge) + DeltaSeconds.clamp(resident.wholeSeconds), assessedAt: now)
  }

  /// How long an entry is fresh from its arrival on.
  private func lifetime(of metadata: OriginMetadata) -> Duration {
    if !metadata.directives.isDisjoint(with: [.noStore, .isPrivate, .noCache]) { return min(minimum, maximum) }
    guard let said = metadata.explicitLifetime else { return min(maximum, max(minimum, lifetime)) }
    let left = DeltaSeconds.clamp(said) - DeltaSeconds.clamp(metadata.initialAge)
    return min(maximum, max(minimum, .seconds(left)))
  }
}
