import Foundation

/// A picture's URL, checked, and what it says about the bytes behind it.
struct AvatarAddress: Hashable, Sendable {
  /// What the bytes' SHA-256 must be.
  enum Content: Hashable, Sendable {
    /// The URL says nothing about them.
    case any
    /// It begins with these 16 hex digits (`/avatar/…/….jpg?v=…`), or the avatar has changed since and the answer's ETag names it.
    case version(String)
    /// These 64 hex digits (`/o/….jpg`).
    case exact(String)
  }

  let url: URL
  let content: Content

  /// Nil for what is no `http` or `https` URL with a host, or holds credentials.
  init?(_ text: String) {
    guard let parts = URLComponents(string: text), let url = parts.url, Self.isAllowed(url) else { return nil }
    self.url = url
    content = Self.content(parts)
  }

  /// Whether a URL may be asked for at all.
  static func isAllowed(_ url: URL) -> Bool {
    let scheme = url.scheme?.lowercased()
    return (scheme == "http" || scheme == "https") && url.host?.isEmpty == false && url.user == nil
      && url.password == nil
  }

  /// For a log: whose it is, without path and query, which may hold a signature.
  var host: String { url.host ?? "" }

  /// Only the service's own forms: elsewhere a `v` is the origin's affair.
  private static func content(_ parts: URLComponents) -> Content {
    let path = parts.percentEncodedPath.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard let file = path.last, file.hasSuffix(".jpg") else { return .any }
    let name = String(file.dropLast(4))
    if path.dropLast().last == "o", isHex(name, 64) { return .exact(name) }
    guard path.count >= 3, path[path.count - 3] == "avatar",
      let version = parts.queryItems?.first(where: { $0.name == "v" })?.value, isHex(version, 16)
    else { return .any }
    return .version(version)
  }

  private static func isHex(_ text: String, _ count: Int) -> Bool {
    text.utf8.count == count && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }
}

extension AvatarAddress.Content {
  /// Whether bytes with this digest are what the URL means. `entityTag` is the answer's `ETag`, quotes and all.
  ///
  /// A `?v=` never dies: once the avatar has changed, the same URL answers with the new picture. That one is whole if it has the
  /// SHA-256 that the answer's strong ETag names.
  func admits(_ digest: SHA256Digest, entityTag: String?) -> Bool {
    switch self {
    case .any: true
    case .version(let version): digest.hex.hasPrefix(version) || entityTag == "\"\(digest.hex)\""
    case .exact(let hex): digest.hex == hex
    }
  }
}
