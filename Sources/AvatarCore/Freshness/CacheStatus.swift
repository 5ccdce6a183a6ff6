/// The value of `Cache-Status` (RFC 9211) in exactly the forms that the contract names.
public struct CacheStatus: Hashable, Sendable {
  /// The name that this cache goes by.
  public static let cacheName = "avatar-server"

  /// Why the origin was asked (RFC 9211 section 2.2).
  public enum Reason: String, Hashable, Sendable {
    /// Nothing was here.
    case uriMiss = "uri-miss"
    /// What was here had to be revalidated first.
    case stale
    /// The client asked for a refresh on the control side.
    case request
  }

  /// What the cache did.
  public enum Outcome: Hashable, Sendable {
    /// Served from here; `ttl` is the remaining freshness in seconds, negative if it was stale.
    case hit(ttl: Int64)
    /// The origin was asked; `status` is what it answered, nil if nothing came.
    case forwarded(Reason, status: Int?)
    /// The request did not get as far as the cache.
    case none
  }

  /// What the cache did.
  public var outcome: Outcome
  /// Whether the origin's answer was kept.
  public var isStored: Bool
  /// Whether this request joined another's flight.
  public var isCollapsed: Bool
  /// The code of an error.
  public var detail: AvatarError.Code?

  /// Makes a status.
  public init(_ outcome: Outcome, stored: Bool = false, collapsed: Bool = false, detail: AvatarError.Code? = nil) {
    self.outcome = outcome
    self.isStored = stored
    self.isCollapsed = collapsed
    self.detail = detail
  }

  /// Served from here, fresh, stale or a remembered failure.
  public static func hit(ttl: Int64, detail: AvatarError.Code? = nil) -> Self { Self(.hit(ttl: ttl), detail: detail) }
  /// The origin was asked.
  public static func forwarded(
    _ reason: Reason, status: Int? = nil, stored: Bool = false, collapsed: Bool = false,
    detail: AvatarError.Code? = nil
  ) -> Self {
    Self(.forwarded(reason, status: status), stored: stored, collapsed: collapsed, detail: detail)
  }
  /// Nothing was here and the origin was not asked.
  public static func miss(detail: AvatarError.Code) -> Self { Self(.none, detail: detail) }

  /// Whether an avatar was served from here.
  public var isPlainHit: Bool {
    if case .hit = outcome { detail == nil } else { false }
  }

  /// The field value of a plain hit with a text for its `ttl`.
  public static func hit(ttl: String) -> String { "\(cacheName); hit; ttl=\(ttl)" }

  /// The field value, a structured list of one member (RFC 9651), such as `avatar-server; hit; ttl=60`.
  public var fieldValue: String {
    var text = Self.cacheName
    switch outcome {
    case .hit(let ttl):
      text = Self.hit(ttl: "\(ttl)")
    case .forwarded(let reason, let status):
      text += "; fwd=\(reason.rawValue)"
      if let status { text += "; fwd-status=\(status)" }
      if isStored { text += "; stored" }
      if isCollapsed { text += "; collapsed" }
    case .none:
      break
    }
    if let detail { text += "; detail=\(detail.rawValue)" }
    return text
  }
}
