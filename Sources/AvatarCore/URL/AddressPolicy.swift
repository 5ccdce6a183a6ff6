/// What the address rules say of one address.
public enum AddressVerdict: Hashable, Sendable {
  /// It may be connected to.
  case allowed
  /// It may not; the reason (`loopback`, `private`, …) is for the log and `inspect`.
  case refused(reason: String)
}

/// Which addresses may be connected to: public ones, and those in the operator's blocks. (Contract, section 3.)
///
/// The fetcher asks at the moment of connecting, on every hop. By the special-purpose registries of RFC 6890 and its
/// updates; IPv6 is refused outside of global unicast (2000::/3) but for forms that carry a public IPv4 address. An IPv4
/// address inside IPv4-mapped, IPv4-compatible, NAT64, 6to4 or Teredo forms is judged like the address itself.
public struct AddressPolicy: Sendable {
  private let allowed: [AddressBlock]

  /// `allowing`: blocks that are exempt; they win over everything.
  public init(allowing: [AddressBlock] = []) { allowed = allowing }

  /// Decides on one address.
  public func verdict(on address: IPAddress) -> AddressVerdict {
    if allowed.contains(where: { $0.contains(address) }) { return .allowed }
    for embedded in Self.embedded(in: address) {
      let verdict = verdict(on: .v4(embedded))
      if verdict != .allowed { return verdict }
    }
    if Self.carriers.contains(where: { $0.contains(address) }) { return .allowed }
    if let special = Self.special.first(where: { $0.block.contains(address) }) {
      return .refused(reason: special.reason)
    }
    if case .v6 = address, !Self.globalUnicast.contains(address) { return .refused(reason: "reserved") }
    return .allowed
  }

  /// The IPv4 addresses that traffic to `address` ends at; empty where it carries none.
  private static func embedded(in address: IPAddress) -> [UInt32] {
    guard case .v6(let high, let low) = address else { return [] }
    let last = UInt32(truncatingIfNeeded: low)
    if mapped.contains(address) || wellKnownNAT64.contains(address) || localNAT64.contains(address) { return [last] }
    // ::/96 is IPv4-compatible (RFC 4291 section 2.5.5.1), but :: and ::1 are themselves.
    if compatible.contains(address), last > 1 { return [last] }
    if sixToFour.contains(address) { return [UInt32(truncatingIfNeeded: high >> 16)] }
    if teredo.contains(address) { return [UInt32(truncatingIfNeeded: high), ~last] }  // Server and client (RFC 4380).
    return []
  }

  private static func v4(_ a: UInt32, _ b: UInt32, _ c: UInt32, _ length: Int) -> AddressBlock {
    AddressBlock(.v4(a << 24 | b << 16 | c << 8), length)
  }

  private static func v6(_ high: UInt64, _ length: Int, low: UInt64 = 0) -> AddressBlock {
    AddressBlock(.v6(high: high, low: low), length)
  }

  private static let mapped = v6(0, 96, low: 0xFFFF_0000_0000)
  private static let compatible = v6(0, 96)
  private static let wellKnownNAT64 = v6(0x0064_FF9B_0000_0000, 96)
  /// RFC 8215, in its /96 form at the block's start. Other prefixes inside 64:ff9b:1::/48 put the IPv4 address elsewhere
  /// and only the network's operator knows where: they stay refused unless allowed by a block.
  private static let localNAT64 = v6(0x0064_FF9B_0001_0000, 96)
  private static let sixToFour = v6(0x2002_0000_0000_0000, 16)
  private static let teredo = v6(0x2001_0000_0000_0000, 32)
  private static let globalUnicast = v6(0x2000_0000_0000_0000, 3)
  /// Forms that are as good as the IPv4 addresses inside them. IPv4-compatible ones are not: nothing routes them.
  private static let carriers = [mapped, wellKnownNAT64, localNAT64, sixToFour, teredo]

  private static let special: [(block: AddressBlock, reason: String)] = [
    (AddressBlock(.v4(0), 32), "unspecified"), (v4(0, 0, 0, 8), "reserved"),
    (v4(10, 0, 0, 8), "private"), (v4(172, 16, 0, 12), "private"), (v4(192, 168, 0, 16), "private"),
    (v4(100, 64, 0, 10), "cgnat"),
    (v4(127, 0, 0, 8), "loopback"),
    (v4(169, 254, 0, 16), "link-local"),
    // The platform's own server inside every Azure network: a public address that hands out secrets.
    (AddressBlock(.v4(0xA83F_8110), 32), "cloud platform"),
    (v4(192, 0, 0, 24), "reserved"), (v4(192, 88, 99, 24), "reserved"), (v4(240, 0, 0, 4), "reserved"),
    (v4(192, 0, 2, 24), "documentation"), (v4(198, 51, 100, 24), "documentation"),
    (v4(203, 0, 113, 24), "documentation"),
    (v4(198, 18, 0, 15), "benchmark"),
    (v4(224, 0, 0, 4), "multicast"),

    (v6(0, 128), "unspecified"), (v6(0, 128, low: 1), "loopback"),
    (v6(0xFC00_0000_0000_0000, 7), "unique-local"),
    (v6(0xFE80_0000_0000_0000, 10), "link-local"),
    (v6(0xFEC0_0000_0000_0000, 10), "private"),  // Site-local (RFC 3879).
    (v6(0xFF00_0000_0000_0000, 8), "multicast"),
    (v6(0x2001_0DB8_0000_0000, 32), "documentation"), (v6(0x3FFF_0000_0000_0000, 20), "documentation"),
    (v6(0x2001_0002_0000_0000, 48), "benchmark"),
    (v6(0x2001_0000_0000_0000, 23), "reserved"),  // IETF protocol assignments: ORCHID and others.
  ]
}
