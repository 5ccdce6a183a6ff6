import AvatarCore

/// A source URL as the index keeps it: the origin, which many entries share, and the rest.
struct SourceParts: Hashable {
  /// Scheme, host and port as they stand in the URL, such as `https://example.com:8443`; empty where the text is not a URL.
  let origin: String
  /// The host alone, as it stands in the URL.
  let host: String
  /// Path and query; with the origin before it, the whole text again.
  let path: String

  /// Splits the canonical text of a URL; any other text becomes a path without an origin.
  init(_ source: String) {
    let bytes = source.utf8
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8) else {
      origin = ""
      host = ""
      path = source
      return
    }
    let start = bytes.index(colon, offsetBy: 3)
    let end = bytes[start...].firstIndex { "/?#".utf8.contains($0) } ?? bytes.endIndex
    let authority = source[start..<end]
    origin = String(source[..<end])
    path = String(source[end...])
    if authority.utf8.first == UInt8(ascii: "["), let bracket = authority.utf8.firstIndex(of: UInt8(ascii: "]")) {
      host = String(authority[...bracket])
    } else if let port = authority.utf8.firstIndex(of: UInt8(ascii: ":")) {
      host = String(authority[..<port])
    } else {
      host = String(authority)
    }
  }
}

extension SourceParts {
  /// Whether a purge's host pattern covers a host of the index; text that is no pattern covers none.
  static func host(_ host: String, fits pattern: String) -> Bool {
    guard let pattern = HostPattern(pattern) else { return false }
    let bare = host.hasPrefix("[") ? host.dropFirst().dropLast() : host[...]
    return pattern.matches(IPAddress(bare).map(Host.address) ?? .name(host))
  }
}

/// Text before its first `?`: what may be shown of a source.
func withoutQuery(_ source: String) -> String { String(source.prefix { $0 != "?" }) }
