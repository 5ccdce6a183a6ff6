/// Which hosts may be asked (`fetch.allowHosts`, `fetch.denyHosts`).
public struct HostPolicy: Sendable {
  private let allowed: [HostPattern]
  private let denied: [HostPattern]

  /// An empty `allowing` allows all; `denying` wins over it.
  public init(allowing: [HostPattern] = [], denying: [HostPattern] = []) {
    allowed = allowing
    denied = denying
  }

  /// Whether the host may be asked.
  public func allows(_ host: Host) -> Bool {
    (allowed.isEmpty || allowed.contains { $0.matches(host) }) && !denied.contains { $0.matches(host) }
  }
}
