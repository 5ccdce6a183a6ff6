/// A host, or all hosts below a name: `example.com`, `*.example.com`, `192.0.2.1`, `[2001:db8::1]`.
public struct HostPattern: Hashable, Sendable {
  private let host: Host
  private let isWildcard: Bool

  /// Parses a pattern in any case. International names are given as punycode, a trailing dot does not count; nil for
  /// what is neither a name nor an address, and for a `*` anywhere else than as the whole first label.
  public init?(_ text: some StringProtocol) {
    var bytes = ASCII.lowercasedBytes(text.utf8)[...]
    isWildcard = bytes.starts(with: "*.".utf8)
    if isWildcard { bytes = bytes.dropFirst(2) }
    let host: Host?
    if bytes.first == UInt8(ascii: "["), bytes.last == UInt8(ascii: "]") {
      host = IPAddress(v6: bytes.dropFirst().dropLast()).map(Host.address)
    } else if bytes.last == UInt8(ascii: ".") {
      let relative = bytes.dropLast()
      host = relative.last == UInt8(ascii: ".") ? nil : Host(ascii: relative)
    } else {
      host = IPAddress(v6: bytes).map(Host.address) ?? Host(ascii: bytes)
    }
    guard let host else { return nil }
    if isWildcard, case .address = host { return nil }
    self.host = host
  }

  /// Whether the host fits. `*.example.com` fits every name below `example.com` at any depth, not `example.com` itself; a
  /// trailing dot of the host does not count.
  public func matches(_ host: Host) -> Bool {
    guard case .name(let own) = self.host else { return self.host == host }
    guard case .name(let name) = host else { return false }
    let bytes = name.utf8.last == UInt8(ascii: ".") ? name.utf8.dropLast() : name.utf8[...]
    guard isWildcard else { return bytes.elementsEqual(own.utf8) }
    let prefix = bytes.count - own.utf8.count
    return prefix > 1 && bytes.dropFirst(prefix).elementsEqual(own.utf8)
      && bytes.dropFirst(prefix - 1).first == UInt8(ascii: ".")
  }

  /// The pattern in its canonical spelling.
  public var text: String { isWildcard ? "*.\(host.text)" : host.text }
}
