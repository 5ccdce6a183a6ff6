/// How a text that may be XML is encoded, by its first bytes. (XML 1.0, appendix F.)
enum SVGEncoding: Equatable {
  case utf8, utf16Big, utf16Little

  /// Nil for what cannot begin an XML document: the first character that is not white space must be `<`.
  init?(sniffing source: [UInt8]) {
    if source.starts(with: [0xFE, 0xFF]) {
      self = .utf16Big
    } else if source.starts(with: [0xFF, 0xFE]) {
      self = .utf16Little
    } else {
      self = .utf8
    }
    let first = text(source.prefix(256)).first { !XMLReader.isSpace($0) }
    guard first == UInt8(ascii: "<") else { return nil }
  }

  /// The bytes as UTF-8 without a byte order mark; what is not valid becomes U+FFFD. A declared ISO 8859-1 is read as that.
  func text(_ source: ArraySlice<UInt8>) -> [UInt8] {
    switch self {
    case .utf8:
      let body = source.starts(with: [0xEF, 0xBB, 0xBF]) ? source.dropFirst(3) : source
      if Self.declaresLatin1(body) {
        return Array(String(String.UnicodeScalarView(body.map(Unicode.Scalar.init))).utf8)
      }
      return Array(String(decoding: body, as: UTF8.self).utf8)
    case .utf16Big, .utf16Little:
      let body = Array(source.dropFirst(2))
      let units = stride(from: 0, to: body.count - 1, by: 2).map { index in
        let (a, b) = (UInt16(body[index]), UInt16(body[index + 1]))
        return self == .utf16Big ? a << 8 | b : b << 8 | a
      }
      return Array(String(decoding: units, as: UTF16.self).utf8)
    }
  }

  private static func declaresLatin1(_ body: ArraySlice<UInt8>) -> Bool {
    guard body.starts(with: "<?xml".utf8), let end = body.prefix(256).firstIndex(of: UInt8(ascii: ">")) else {
      return false
    }
    let declaration = String(decoding: body[..<end], as: UTF8.self).lowercased()
    return declaration.contains("iso-8859-1") || declaration.contains("windows-1252")
  }
}
