public import AvatarCore

/// What a request waits for at most, and what it allows.
public struct Terms: Sendable {
  /// When the answer must be there.
  public var deadline: Deadline
  /// Who waits.
  public var priority: WorkPriority
  /// Ask the origin even about what is fresh: the picture has just been changed.
  public var refresh: Bool
  /// Never ask the origin (RFC 9111 section 5.2.1.7).
  public var onlyIfCached: Bool

  /// Names the terms.
  public init(
    deadline: Deadline, priority: WorkPriority = .interactive, refresh: Bool = false, onlyIfCached: Bool = false
  ) {
    self.deadline = deadline
    self.priority = priority
    self.refresh = refresh
    self.onlyIfCached = onlyIfCached
  }
}

/// What the resolver found for a request: an avatar or why there is none, and how it came about.
public struct Answer: Sendable {
  /// The two ways to end.
  public enum Outcome: Sendable {
    /// An avatar, and what may be done with it.
    case avatar(HotAvatar, Freshness)
    /// No avatar; `remembered` is how much longer the failure is, nil where it is not.
    case failure(AvatarError, remembered: Duration?)
  }
  /// How it ended.
  public var outcome: Outcome
  /// For the `Cache-Status` field (RFC 9211).
  public var cacheStatus: CacheStatus
  /// The origin's part; nil on a hit.
  public var origin: OriginPart?
  /// Which source of the chain it is; nil where there was only one.
  public var index: Int?
  /// The longest `max-age`, where an earlier source of the chain may yet come; without `stale-*` then.
  public var maximumAge: Int64?

  init(_ avatar: HotAvatar, _ freshness: Freshness, _ cacheStatus: CacheStatus, origin: OriginPart? = nil) {
    outcome = .avatar(avatar, freshness)
    self.cacheStatus = cacheStatus
    self.origin = origin
  }

  init(_ error: AvatarError, _ cacheStatus: CacheStatus, remembered: Duration? = nil, origin: OriginPart? = nil) {
    outcome = .failure(error, remembered: remembered)
    self.cacheStatus = cacheStatus
    self.origin = origin
  }

  /// The avatar if there is one.
  public var avatar: HotAvatar? {
    if case .avatar(let avatar, _) = outcome { avatar } else { nil }
  }
}
