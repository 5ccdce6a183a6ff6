/// Which texts are usable as a picture's URL, and their one spelling.
///
/// Usable: `http` or `https`, a host, no credentials, at most 2,048 bytes as spelled here. Bytes that RFC 3986 does not allow in a
/// path, query or fragment are percent-encoded (`URL(string:)` refuses them before iOS 17); an international host stays as it is.
enum PictureURL {
  /// Most bytes.
  static let maximumBytes = 2048

  /// The URL that a text means; nil if it is not usable.
  static func usable(_ text: String) -> String? {
    let bytes = Array(text.utf8)
    guard bytes.count <= maximumBytes, let authorityStart = authorityStart(bytes) else { return nil }
    guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return nil }
    let pathStart = bytes[authorityStart...].firstIndex(where: isAuthorityEnd) ?? bytes.endIndex
    guard isAuthority(bytes[authorityStart..<pathStart]) else { return nil }
    let url = Array(bytes[..<pathStart]) + encoded(bytes[pathStart...])
    return url.count <= maximumBytes ? String(decoding: url, as: UTF8.self) : nil
  }

  private static func authorityStart(_ bytes: [UInt8]) -> Int? {
    for scheme in ["http://", "https://"] where bytes.count > scheme.utf8.count {
      let head = bytes[..<scheme.utf8.count].map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
      if head.elementsEqual(scheme.utf8) { return scheme.utf8.count }
    }
    return nil
  }

  private static func isAuthorityEnd(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
  }

  /// A host and perhaps a port; user information is refused by its `@`.
  private static func isAuthority(_ authority: ArraySlice<UInt8>) -> Bool {
    var host = authority
    var port: ArraySlice<UInt8> = []
    if authority.first == UInt8(ascii: "[") {
      guard let end = authority.firstIndex(of: UInt8(ascii: "]")) else { return false }
      host = authority[(authority.startIndex + 1)..<end]
      port = authority[(end + 1)...]
      guard host.allSatisfy({ JSONString.digit($0) != nil || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") })
      else { return false }
    } else if let colon = authority.firstIndex(of: UInt8(ascii: ":")) {
      host = authority[..<colon]
      port = authority[colon...]
    }
    guard !host.isEmpty, host.allSatisfy({ !Array(" \"#%/<>?@[\\]^`{|}".utf8).contains($0) }) else { return false }
    guard let colon = port.first else { return true }
    let digits = port.dropFirst()
    guard colon == UInt8(ascii: ":"), digits.count <= 5, digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return false
    }
    return digits.isEmpty || (1...65535).contains(digits.reduce(0) { $0 * 10 + Int($1 - 0x30) })
  }

  private static func encoded(_ tail: ArraySlice<UInt8>) -> [UInt8] {
    let digits = Array("0123456789ABCDEF".utf8)
    var url: [UInt8] = []
    for (index, byte) in zip(tail.indices, tail) {
      let isKept =
        byte == UInt8(ascii: "%")
        ? tail[(index + 1)...].prefix(2).count == 2
          && tail[(index + 1)...].prefix(2).allSatisfy { JSONString.digit($0) != nil }
        : byte < 0x80 && !Array(" \"<>[\\]^`{|}".utf8).contains(byte)
      if isKept {
        url.append(byte)
      } else {
        url += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return url
  }
}
