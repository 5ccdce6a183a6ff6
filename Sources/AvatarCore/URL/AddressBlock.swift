/// A CIDR block, such as `10.0.0.0/8` or `fd00::/8`.
public struct AddressBlock: Hashable, Sendable {
  private let base: IPAddress
  private let prefixLength: Int

  /// Parses an address with a prefix length (0…32 or 0…128), or an address alone, which is a block of one.
  ///
  /// Nil for anything else, also where bits after the prefix are set (`10.0.0.5/8`): whoever wrote it meant either the
  /// address or the block, and a guess could open too much.
  public init?(_ cidr: some StringProtocol) {
    let parts = cidr.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count <= 2, let first = parts.first, let address = IPAddress(first) else { return nil }
    var length = address.bitWidth
    if parts.count == 2 {
      guard let given = ASCII.number(parts[1].utf8, atMost: Int64(length)) else { return nil }
      length = Int(given)
    }
    guard address.masked(to: length) == address else { return nil }
    base = address
    prefixLength = length
  }

  /// The block around `address`: its bits after the prefix count as zero.
  init(_ address: IPAddress, _ prefixLength: Int) {
    base = address.masked(to: prefixLength)
    self.prefixLength = prefixLength
  }

  /// Whether the address lies in the block. Families do not mix: `::ffff:10.0.0.1` is not in `10.0.0.0/8`.
  public func contains(_ address: IPAddress) -> Bool {
    address.bitWidth == base.bitWidth && address.masked(to: prefixLength) == base
  }

  /// CIDR notation.
  public var text: String { "\(base.text)/\(prefixLength)" }
}

extension IPAddress {
  /// 32 or 128.
  fileprivate var bitWidth: Int {
    switch self {
    case .v4: 32
    case .v6: 128
    }
  }

  /// The address with all bits after the first `length` cleared.
  fileprivate func masked(to length: Int) -> IPAddress {
    switch self {
    case .v4(let bits):
      .v4(bits & ~(length >= 32 ? 0 : UInt32.max >> UInt32(length)))
    case .v6(let high, let low):
      .v6(
        high: high & ~(length >= 64 ? 0 : UInt64.max >> UInt64(length)),
        low: low & ~(length >= 128 ? 0 : length <= 64 ? UInt64.max : UInt64.max >> UInt64(length - 64)))
    }
  }
}
