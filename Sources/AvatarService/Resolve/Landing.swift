public import AvatarCore

/// How a flight ended, for everybody who waited for it.
struct Landing: Sendable {
  /// The avatar, or why there is none.
  var result: Result<HotAvatar, AvatarError>
  /// Until when the failure is remembered; nil where it is not.
  var rememberedUntil: ContinuousClock.Instant?
  /// The exact URL that was asked for.
  var exactKey: CacheKey
  /// What the origin did; nil where the answer was found without it.
  var origin: OriginPart?
  /// Whether the avatar is on disk now.
  var stored = false
}

/// The origin's part in an answer, for `Cache-Status`, `Server-Timing` and the log.
public struct OriginPart: Sendable {
  /// Its status; nil where none came.
  public var status: Int?
  /// The exchange with the origin.
  public var fetched: Duration
  /// Waiting for a worker; nil where nothing was decoded.
  public var queued: Duration?
  /// The worker's CPU time; nil where nothing was decoded.
  public var decoded: Duration?
  /// What the worker saw; nil where nothing was decoded.
  public var facts: ImageFacts?
}
