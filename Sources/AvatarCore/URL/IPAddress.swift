/// An IPv4 or IPv6 address, without port or zone.
public enum IPAddress: Hashable, Sendable {
  /// 32 bits, host byte order: 127.0.0.1 is 0x7F000001.
  case v4(UInt32)
  /// The first and the last 64 bits, host byte order.
  case v6(high: UInt64, low: UInt64)

  /// Parses a strict dotted quad (four decimal numbers, no leading zeros) or an IPv6 address as in RFC 4291 section 2.2
  /// (no brackets, no zone); nil for anything else.
  public init?(_ text: some StringProtocol) {
    let bytes = Array(text.utf8)[...]
    guard let address = IPAddress(v4: bytes) ?? IPAddress(v6: bytes) else { return nil }
    self = address
  }

  /// Dotted quad, or RFC 5952: lower case, the longest run of zeros as `::`, an IPv4-mapped address with its dotted quad.
  public var text: String {
    switch self {
    case .v4(let bits): Self.dottedQuad(bits)
    case .v6(let high, let low): Self.text(high: high, low: low)
    }
  }

  /// A strict dotted quad; nil for anything else.
  init?(v4 bytes: ArraySlice<UInt8>) {
    let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    var bits: UInt32 = 0
    for part in parts {
      guard part.count == 1 || part.first != UInt8(ascii: "0"), let value = ASCII.number(part, atMost: 255) else {
        return nil
      }
      bits = bits << 8 | UInt32(value)
    }
    self = .v4(bits)
  }

  /// Eight groups of one to four hexadecimal digits, the last two perhaps as a dotted quad, one run of at least one zero
  /// group perhaps as `::`; nil for anything else.
  init?(v6 bytes: ArraySlice<UInt8>) {
    guard (2...45).contains(bytes.count) else { return nil }
    guard let gap = Self.gap(in: bytes) else {
      guard let groups = Self.groups(bytes), groups.count == 8 else { return nil }
      self = Self.v6(groups)
      return
    }
    let tail = bytes[(gap + 2)...]
    guard let before = gap == bytes.startIndex ? [] : Self.groups(bytes[..<gap], allowsQuad: false),
      let after = tail.isEmpty ? [] : Self.groups(tail), before.count + after.count <= 7
    else { return nil }
    self = Self.v6(before + Array(repeating: 0, count: 8 - before.count - after.count) + after)
  }

  private static func v6(_ groups: [UInt16]) -> IPAddress {
    func word(_ slice: ArraySlice<UInt16>) -> UInt64 { slice.reduce(0) { $0 << 16 | UInt64($1) } }
    return .v6(high: word(groups[..<4]), low: word(groups[4...]))
  }

  /// Where the first `::` begins.
  private static func gap(in bytes: ArraySlice<UInt8>) -> Int? {
    bytes.indices.dropLast().first { bytes[$0] == UInt8(ascii: ":") && bytes[$0 + 1] == UInt8(ascii: ":") }
  }

  private static func groups(_ bytes: ArraySlice<UInt8>, allowsQuad: Bool = true) -> [UInt16]? {
    var groups: [UInt16] = []
    let parts = bytes.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      if allowsQuad, index == parts.count - 1, part.contains(UInt8(ascii: ".")) {
        guard case .v4(let bits) = IPAddress(v4: part) else { return nil }
        groups += [UInt16(bits >> 16), UInt16(truncatingIfNeeded: bits)]
      } else {
        guard (1...4).contains(part.count) else { return nil }
        var group: UInt16 = 0
        for digit in part {
          guard let value = ASCII.hexValue(digit) else { return nil }
          group = group << 4 | UInt16(value)
        }
        groups.append(group)
      }
    }
    return groups
  }

  private static func dottedQuad(_ bits: UInt32) -> String {
    "\(bits >> 24).\(bits >> 16 & 255).\(bits >> 8 & 255).\(bits & 255)"
  }

  private static func text(high: UInt64, low: UInt64) -> String {
    if high == 0, low >> 32 == 0xFFFF { return "::ffff:" + dottedQuad(UInt32(truncatingIfNeeded: low)) }
    let groups = [high, low].flatMap { word in (0..<4).map { UInt16(truncatingIfNeeded: word >> UInt64(48 - 16 * $0)) }
    }
    var run = 0..<0
    var start = 0
    while start < 8 {
      let end = groups[start...].firstIndex { $0 != 0 } ?? 8
      if end - start > max(1, run.count) { run = start..<end }  // One zero group alone is not shortened.
      start = end + 1
    }
    func hex(_ range: Range<Int>) -> String {
      groups[range].map { String($0, radix: 16) }.joined(separator: ":")
    }
    return run.isEmpty ? hex(0..<8) : hex(0..<run.lowerBound) + "::" + hex(run.upperBound..<8)
  }
}
