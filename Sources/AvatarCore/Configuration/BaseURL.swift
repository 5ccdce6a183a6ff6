/// URLs that an operator configures: no more than scheme, authority and a plain path.
enum BaseURL {
  /// The URL without slashes at its end; nil if it is not one of `schemes` or has more than allowed.
  static func parse(_ text: String, schemes: [String], allowsUser: Bool, allowsPath: Bool) -> String? {
    guard text.utf8.count <= 1024, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
      let separator = text.firstRange(of: "://"), schemes.contains(text[..<separator.lowerBound].lowercased())
    else { return nil }
    let rest = text[separator.upperBound...]
    let slash = rest.firstIndex(of: "/") ?? rest.endIndex
    var authority = rest[..<slash]
    if let at = authority.lastIndex(of: "@") {
      guard allowsUser, at > authority.startIndex, !authority[..<at].contains("@") else { return nil }
      authority = authority[authority.index(after: at)...]
    }
    guard isHostAndPort(authority) else { return nil }
    let path = rest[slash...]
    guard path.allSatisfy({ $0.isLetter || $0.isNumber || "/-._~".contains($0) }) else { return nil }
    guard allowsPath || path.isEmpty || path == "/" else { return nil }
    var end = rest.endIndex
    while end > slash, rest[rest.index(before: end)] == "/" { end = rest.index(before: end) }
    return text[..<separator.lowerBound].lowercased() + "://" + rest[..<end]
  }

  /// The URL with user and password hidden.
  static func masked(_ url: String) -> String {
    guard let separator = url.firstRange(of: "://"), let at = url.lastIndex(of: "@") else { return url }
    return url[..<separator.upperBound] + "(hidden)" + url[at...]
  }

  private static func isHostAndPort(_ text: Substring) -> Bool {
    var host = text
    let afterBracket = text.lastIndex(of: "]") ?? text.startIndex
    if let colon = text[afterBracket...].lastIndex(of: ":") {
      guard let port = DecimalText.digits(text[text.index(after: colon)...]), (1...65535).contains(port) else {
        return false
      }
      host = text[..<colon]
    }
    if host.first == "[" {
      guard host.last == "]", case .v6 = IPAddress(host.dropFirst().dropLast()) else { return false }
      return true
    }
    return !host.isEmpty && host.utf8.count <= 253
      && host.allSatisfy { $0.isLetter || $0.isNumber || "-._".contains($0) }
  }
}
