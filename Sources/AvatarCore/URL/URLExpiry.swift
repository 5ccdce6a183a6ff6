/// Reads when a presigned URL expires, in the terms of each signer.
struct URLExpiry {
  private let parameters: [QueryParameter]

  /// `parameters`: those that belong to the signature.
  init(_ parameters: [QueryParameter]) { self.parameters = parameters }

  /// The earliest moment that any parameter names, for all of them must hold; nil if none is readable.
  var earliest: UnixTime? {
    let moments: [UnixTime?] = [
      lifetime(from: "x-amz-date", for: "x-amz-expires"),  // S3, signature version 4
      lifetime(from: "x-goog-date", for: "x-goog-expires"),  // GCS, version 4
      value("expires").flatMap { Self.seconds($0) },  // S3 and GCS, version 2; CloudFront's canned policy
      value("policy").flatMap { Self.endOfPolicy($0) },  // CloudFront's custom policy
      value("se").flatMap { ISODate.parse($0) },  // Azure
      value("oe").flatMap { Self.hexSeconds($0) },  // Facebook's pictures
      value("ext").flatMap { Self.seconds($0) },  // Facebook's profile pictures
    ]
    return moments.compactMap { $0 }.min()
  }

  /// Years beyond 9999 are nonsense, and sums stay far from overflow.
  private static let latestSeconds: Int64 = 253_402_300_799

  /// The decoded value of the first parameter of that name, in any case.
  private func value(_ name: String) -> [UInt8]? {
    parameters.first { ASCII.lowercasedBytes($0.name.utf8).elementsEqual(name.utf8) }
      .flatMap { PercentCoding.decode($0.value) }
  }

  private func lifetime(from date: String, for lifetime: String) -> UnixTime? {
    guard let start = value(date).flatMap({ ISODate.parse($0) }),
      let seconds = value(lifetime).flatMap({ ASCII.number($0, atMost: Self.latestSeconds) })
    else { return nil }
    return UnixTime(seconds: start.seconds + seconds)
  }

  private static func seconds(_ digits: [UInt8]) -> UnixTime? {
    ASCII.number(digits, atMost: latestSeconds).map { UnixTime(seconds: $0) }
  }

  private static func hexSeconds(_ digits: [UInt8]) -> UnixTime? {
    guard (1...8).contains(digits.count) else { return nil }
    var value: Int64 = 0
    for digit in digits {
      guard let nibble = ASCII.hexValue(digit) else { return nil }
      value = value << 4 | Int64(nibble)
    }
    return UnixTime(seconds: value)
  }

  /// `DateLessThan`'s `AWS:EpochTime` in a CloudFront policy: JSON in base64 with `-_~` for `+=/`. Looks for the two names
  /// rather than parsing the JSON, since all that hangs on it is which URL is fetched first.
  private static func endOfPolicy(_ policy: [UInt8]) -> UnixTime? {
    let standard = policy.filter { $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: "=") }.map { byte in
      switch byte {
      case UInt8(ascii: "-"), UInt8(ascii: "+"): UInt8(ascii: "-")
      case UInt8(ascii: "~"), UInt8(ascii: "/"): UInt8(ascii: "_")
      default: byte
      }
    }
    guard let json = Base64URL.decode(String(decoding: standard, as: UTF8.self)),
      let limit = rest(of: json[...], after: "\"DateLessThan\""),
      let time = rest(of: limit, after: "\"AWS:EpochTime\"")
    else { return nil }
    let number = time.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: ":") }.prefix(while: ASCII.isDigit)
    return seconds(Array(number))
  }

  private static func rest(of bytes: ArraySlice<UInt8>, after word: String) -> ArraySlice<UInt8>? {
    let word = Array(word.utf8)
    guard bytes.count >= word.count else { return nil }
    for start in bytes.startIndex...(bytes.endIndex - word.count) where bytes[start...].starts(with: word) {
      return bytes[(start + word.count)...]
    }
    return nil
  }
}
