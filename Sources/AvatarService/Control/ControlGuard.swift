public import AvatarCore

/// Who may use the control side: a bearer token where tokens are configured, else only this machine's own programs, never a web page.
public struct ControlGuard: Sendable {
  private let tokenDigests: [Digest256]
  private let hashing: any Hashing

  /// With no tokens only loopback names pass as `Host`, and no foreign page.
  public init(tokens: [String], hashing: any Hashing) {
    self.hashing = hashing
    tokenDigests = tokens.map { hashing.sha256(Array($0.utf8)) }
  }

  /// Whether tokens are configured.
  var needsTokens: Bool { !tokenDigests.isEmpty }

  /// Throws `unauthorized` or `host_not_allowed`.
  func admit(_ request: HTTPRequest, needsToken: Bool) throws(AvatarError) {
    guard tokenDigests.isEmpty else {
      if needsToken, !bearsToken(request) { throw AvatarError(.unauthorized) }
      return
    }
    guard let host = request.header("Host"), Self.isLoopback(host) else {
      throw AvatarError(.hostNotAllowed, "Host is not a loopback one and no tokens are configured")
    }
    if let site = request.header("Sec-Fetch-Site"), site != "same-origin", site != "none" {
      throw AvatarError(.hostNotAllowed, "a web page of another site")
    }
    if let origin = request.header("Origin"), origin != "http://\(host)", origin != "https://\(host)" {
      throw AvatarError(.hostNotAllowed, "a web page of another origin")
    }
  }

  /// Every token is compared in full, by its hash, so that the time taken tells nothing of how much of it was right.
  private func bearsToken(_ request: HTTPRequest) -> Bool {
    guard let value = request.header("Authorization"), value.utf8.count <= 8192 else { return false }
    let parts = value.split(separator: " ", omittingEmptySubsequences: true)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else { return false }
    let given = hashing.sha256(Array(parts[1].utf8))
    var matches = false
    for digest in tokenDigests where Self.differs(digest, given) == 0 { matches = true }
    return matches
  }

  private static func differs(_ left: Digest256, _ right: Digest256) -> UInt64 {
    let (a, b) = (left.words, right.words)
    return (a.0 ^ b.0) | (a.1 ^ b.1) | (a.2 ^ b.2) | (a.3 ^ b.3)
  }

  private static func isLoopback(_ host: String) -> Bool {
    let name: Substring
    if host.hasPrefix("[") {
      guard let end = host.firstIndex(of: "]") else { return false }
      name = host[host.index(after: host.startIndex)..<end]
    } else {
      name = host.prefix { $0 != ":" }
    }
    if name.lowercased() == "localhost" { return true }
    switch IPAddress(name) {
    case .v4(let bits): return bits >> 24 == 127
    case .v6(let high, let low): return high == 0 && low == 1
    case nil: return false
    }
  }
}
