extension ConfigurationType where Value == [Configuration.HostHeaders] {
  /// Host pattern → field name → value.
  static let headers: Self = {
    let allowed = "an object such as { \"*.example.com\": { Authorization: \"…\" } }"
    return Self(
      allowed: allowed, placeholder: "JSON", shape: .object,
      read: { value, rejections in
        guard case .object(let hosts) = value else {
          rejections.append(ConfigurationRejection(value: value, allowed: allowed))
          return nil
        }
        return hosts.sorted { $0.key < $1.key }.compactMap { text, fields in
          let place = "[\(ConfigurationValue.quoted(text))]"
          guard let pattern = ConfigurationType<HostPattern>.hostPattern.read(.text(text), at: place, &rejections)
          else { return nil }
          return Configuration.HostHeaders(hosts: pattern, fields: Self.fields(in: fields, at: place, &rejections))
        }
      },
      // Secret: what is shown of it is how many hosts there are, never a field.
      show: { headers in
        .object(Dictionary(headers.map { ($0.hosts.text, .object([:])) }, uniquingKeysWith: { first, _ in first }))
      })
  }()

  /// Fields that would break a request's framing or what the fetcher promises of it.
  private static let reserved: Set<String> = [
    "accept-encoding", "connection", "content-length", "expect", "host", "if-modified-since", "if-none-match",
    "keep-alive", "proxy-connection", "range", "te", "trailer", "transfer-encoding", "upgrade",
  ]

  private static func fields(
    in value: ConfigurationValue, at place: String, _ rejections: inout [ConfigurationRejection]
  ) -> [HeaderField] {
    guard case .object(let fields) = value else {
      rejections.append(
        ConfigurationRejection(place: place, value: value, allowed: "an object of header fields and their values"))
      return []
    }
    return fields.sorted { $0.key < $1.key }.compactMap { name, value in
      let place = "\(place).\(ConfigurationValue.name(name))"
      guard isToken(name), !reserved.contains(name.lowercased()) else {
        rejections.append(
          ConfigurationRejection(
            place: place, value: .text(name), allowed: "a header field's name that the fetcher does not set itself"))
        return nil
      }
      return ConfigurationType<String>.headerValue.read(value, at: place, &rejections).map { HeaderField(name, $0) }
    }
  }

  /// RFC 9110 section 5.6.2.
  private static func isToken(_ text: String) -> Bool {
    (1...256).contains(text.utf8.count)
      && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "!#$%&'*+-.^_`|~".contains($0)) }
  }
}

extension ConfigurationType where Value == String {
  /// A header field's value (RFC 9110 section 5.5): one line.
  static let headerValue = Self(
    allowed: "a text of at most 4096 bytes without control characters", placeholder: "TEXT",
    parse: { text in
      text.utf8.count <= 4096 && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } ? text : nil
    }, format: { $0 })
}
