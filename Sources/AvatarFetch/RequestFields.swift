import AvatarCore

/// Builds a hop's request lines: ours, the validators, the operator's for this host; nothing of any client.
enum RequestFields {
  /// The formats we take, and last anything at all, for origins that would refuse rather than send the only form they have. What costs us
  /// least to decode comes first: an origin that chooses should not spend an AVIF on a picture that becomes a 256 px JPEG.
  static let accept =
    "image/jpeg,image/png,image/webp,image/gif,image/svg+xml;q=0.9,image/avif;q=0.8,image/heic;q=0.7,*/*;q=0.1"

  /// The lines for one hop to `host`, without line ends, in libcurl's form (`Name;` sends an empty value).
  static func lines(for host: Host, validators: Validators?, options: FetchOptions) -> [String] {
    var fields = [HeaderField("User-Agent", options.userAgent), HeaderField("Accept", accept)]
    if let etag = validators?.etag { fields.append(HeaderField("If-None-Match", etag)) }
    if let moment = validators?.lastModified { fields.append(HeaderField("If-Modified-Since", moment)) }
    fields.removeAll { !isSendable($0) }  // Validators come from outside.
    for rule in options.headers where rule.hosts.matches(host) {
      for field in rule.fields {
        fields.removeAll { $0.name.lowercased() == field.name.lowercased() }
        fields.append(field)
      }
    }
    return fields.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
  }

  /// Whether a field can go out as one line: a token for a name, no control character in the value (RFC 9110 section 5).
  static func isSendable(_ field: HeaderField) -> Bool {
    !field.name.isEmpty && field.name.utf8.allSatisfy(isTokenByte)
      && field.value.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }
  }

  /// A byte of a field name (RFC 9110 section 5.6.2).
  static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}
