/// The kinds of request, as they appear in metrics and logs.
public enum Route: Int, CaseIterable, Sendable {
  /// `/avatar…` on the public side.
  case avatar
  /// `/o/…` on the public side.
  case object
  /// `/v1/prefetch`.
  case prefetch
  /// `/v1/notifications`.
  case notifications
  /// `/v1/purge`.
  case purge
  /// `/v1/inspect`.
  case inspect
  /// `/v1/stats`.
  case stats
  /// `/metrics`.
  case metrics
  /// `/healthz` and `/readyz`.
  case health
  /// `/`: the page for people.
  case page
  /// `/openapi.json`.
  case openapi
  /// Everything else on the control side.
  case other
  /// Everything else on the public side.
  case stray

  /// The label's value.
  public var name: String { "\(self)" }
  /// `public` or `control`.
  var side: String {
    switch self {
    case .avatar, .object, .stray: "public"
    case .prefetch, .notifications, .purge, .inspect, .stats, .metrics, .health, .page, .openapi, .other: "control"
    }
  }
}
