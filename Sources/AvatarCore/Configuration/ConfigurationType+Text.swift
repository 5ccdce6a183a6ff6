extension ConfigurationType where Value == String {
  /// A path: not empty, no NUL.
  static let path = Self(
    allowed: "a path", placeholder: "PATH",
    parse: { $0.isEmpty || $0.utf8.contains(0) || $0.utf8.count > 4095 ? nil : $0 }, format: { $0 })

  /// A bearer token (RFC 6750 section 2.1): 8…1024 of its characters.
  static let token = Self(
    allowed: ControlToken.allowed, placeholder: "TOKEN", parse: { ControlToken.isValid($0) ? $0 : nil },
    format: { $0 })

  /// One line of printable ASCII.
  static let userAgent = Self(
    allowed: "1 to 200 printable ASCII characters", placeholder: "TEXT",
    parse: { text in
      (1...200).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7E).contains($0) } ? text : nil
    }, format: { $0 })

  /// The start of our own URLs; slashes at the end are dropped.
  static let baseURL = Self(
    allowed: "an http or https URL without user, query and fragment, such as \"https://avatars.example.com\"",
    placeholder: "URL", parse: { BaseURL.parse($0, schemes: ["http", "https"], allowsUser: false, allowsPath: true) },
    format: { $0 })

  /// A proxy. Its user and password are never shown.
  static let proxy = Self(
    allowed: "a proxy's URL, such as \"http://proxy.example.com:3128\" "
      + "(http, https, socks5 or socks5h; user and password before an @)",
    placeholder: "URL",
    parse: {
      BaseURL.parse($0, schemes: ["http", "https", "socks5", "socks5h"], allowsUser: true, allowsPath: false)
    }, format: BaseURL.masked)
}

extension ConfigurationType where Value == UInt32 {
  /// A colour, `#rrggbb`.
  static let colour = Self(
    allowed: "a colour such as \"#ffffff\"", placeholder: "#RRGGBB",
    parse: { text in
      guard text.utf8.count == 7, text.first == "#", text.dropFirst().allSatisfy({ $0.isASCII && $0.isHexDigit })
      else { return nil }
      return UInt32(text.dropFirst(), radix: 16)
    },
    format: { colour in
      let digits = String(colour & 0xFFFFFF, radix: 16)
      return "#" + String(repeating: "0", count: 6 - digits.count) + digits
    })
}

extension ConfigurationType where Value == ListenAddress {
  /// An address of this machine and a port.
  static let listenAddress = Self(
    allowed: "an address and a port, such as \"127.0.0.1:8080\", \"0.0.0.0:8080\" or \"[::]:8080\" (port 0: any)",
    placeholder: "ADDRESS:PORT", parse: { ListenAddress($0) }, format: \.description)
}

extension ConfigurationType where Value == HostPattern {
  /// A host or all hosts below one.
  static let hostPattern = Self(
    allowed: "a host such as \"example.com\" or \"*.example.com\"", placeholder: "HOST",
    parse: { HostPattern($0) }, format: \.text)
}

extension ConfigurationType where Value == [UInt8] {
  /// A signing key in hexadecimal.
  static let signingKey = Self(
    allowed: SigningKey.allowed, placeholder: "HEX", parse: { SigningKey.parse($0) }, format: { _ in "(hidden)" })
}
