/// Who is asked: a DNS name or a literal address.
public enum Host: Hashable, Sendable {
  /// Lower-case ASCII (international names as punycode), labels of letters, digits, `-` and `_`, never a number in
  /// disguise. Has a trailing dot only where one was given.
  case name(String)
  /// A strict dotted quad or what stood in brackets.
  case address(IPAddress)

  /// As in a URL: an IPv6 address in brackets.
  public var text: String {
    switch self {
    case .name(let name): name
    case .address(.v4(let bits)): IPAddress.v4(bits).text
    case .address(let address): "[\(address.text)]"
    }
  }

  /// Parses what stands before the port, in any case and script.
  ///
  /// Percent-encoding is refused rather than decoded: no real host needs it, and whoever decodes later than we check
  /// sees another host. Throws `invalid_source_url`.
  init(urlBytes bytes: ArraySlice<UInt8>, names: any InternationalNames) throws(AvatarError) {
    guard !bytes.isEmpty else { throw SourceURL.invalid("no host") }
    if bytes.first == UInt8(ascii: "[") {
      guard bytes.last == UInt8(ascii: "]"), let address = IPAddress(v6: bytes.dropFirst().dropLast()) else {
        throw SourceURL.invalid("bad IPv6 literal")
      }
      self = .address(address)
      return
    }
    var ascii = ASCII.lowercasedBytes(bytes)
    if !ascii.allSatisfy({ $0 < 0x80 }) {
      guard bytes.count <= Self.maximumInternationalBytes, let name = String(validating: bytes, as: UTF8.self),
        let mapped = names.ascii(name)
      else { throw SourceURL.invalid("not a valid international name") }
      ascii = ASCII.lowercasedBytes(mapped.utf8)
    }
    guard let host = Host(ascii: ascii[...]) else { throw SourceURL.invalid("bad host name, or a number in disguise") }
    self = host
  }

  /// A DNS name or strict dotted quad in lower-case ASCII; nil for anything else, numbers in disguise among it.
  init?(ascii bytes: ArraySlice<UInt8>) {
    let absolute = bytes.last == UInt8(ascii: ".") ? bytes.dropLast() : bytes
    guard !absolute.isEmpty, absolute.count <= Self.maximumNameBytes else { return nil }
    let labels = absolute.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    for label in labels {
      guard (1...63).contains(label.count), label.allSatisfy(Self.isNameByte) else { return nil }
    }
    if let last = labels.last, Self.isNumber(last) {
      // Whatever ends in a number is an address to some resolver (inet_aton: decimal, octal, hex, one to four parts).
      guard absolute.count == bytes.count, let address = IPAddress(v4: bytes) else { return nil }
      self = .address(address)
    } else {
      self = .name(String(decoding: bytes, as: UTF8.self))
    }
  }

  /// RFC 1035 section 2.3.4, without the trailing dot.
  private static let maximumNameBytes = 253
  /// No valid international name is longer in UTF-8; bounds the work of the mapping.
  private static let maximumInternationalBytes = 1024

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
      UInt8(ascii: "_"):
      true
    default: false
    }
  }

  /// All digits, or `0x` and hex digits (none at all counts too).
  private static func isNumber(_ label: ArraySlice<UInt8>) -> Bool {
    label.allSatisfy(ASCII.isDigit)
      || (label.starts(with: "0x".utf8) && label.dropFirst(2).allSatisfy { ASCII.hexValue($0) != nil })
  }
}
