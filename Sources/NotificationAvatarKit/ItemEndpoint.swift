import Foundation

/// Where an item's text is: a base URL, and a path of checked parts.
struct ItemEndpoint: Sendable {
  /// Names of what is put into the template.
  static let tenantField = "{tenant}"
  static let itemField = "{item_id}"

  private enum Part: Hashable, Sendable { case literal(String), tenant, item }

  private let parts: [Part]

  /// Reads a template: path segments, each a text of `[A-Za-z0-9._~-]`, or one of the fields whole. Nil for anything else.
  init?(template: String) {
    var parts: [Part] = []
    for segment in template.split(separator: "/").map(String.init) {
      switch segment {
      case Self.tenantField: parts.append(.tenant)
      case Self.itemField: parts.append(.item)
      case _ where Self.isSafe(segment): parts.append(.literal(segment))
      default: return nil
      }
    }
    guard parts.contains(.item) else { return nil }
    self.parts = parts
  }

  var needsTenant: Bool { parts.contains(.tenant) }

  /// The URL of an item. Nil unless the base is an `https` URL (`http` on the phone itself) with no more than a path, and each part is
  /// safe in a path: what a push says cannot lead the token elsewhere.
  func url(base: String, tenant: String?, itemID: String) -> URL? {
    guard var url = URLComponents(string: base), let host = url.host, !host.isEmpty, url.user == nil,
      url.password == nil, url.query == nil, url.fragment == nil
    else { return nil }
    let isLocal = ["127.0.0.1", "::1", "[::1]", "localhost"].contains(host)
    let scheme = url.scheme?.lowercased()
    guard scheme == "https" || (scheme == "http" && isLocal) else { return nil }
    var path = url.percentEncodedPath
    while path.hasSuffix("/") { path.removeLast() }
    for part in parts {
      let text: String?
      switch part {
      case .literal(let literal): text = literal
      case .tenant: text = tenant
      case .item: text = itemID
      }
      guard let text, Self.isSafe(text) else { return nil }
      path += "/" + text
    }
    url.percentEncodedPath = path
    return url.url
  }

  /// `[A-Za-z0-9._~-]{1,128}`, not `.` or `..`.
  static func isSafe(_ text: String) -> Bool {
    guard (1...128).contains(text.utf8.count), text != ".", text != ".." else { return false }
    return text.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
      default: [0x2E, 0x5F, 0x7E, 0x2D].contains(byte)
      }
    }
  }
}
