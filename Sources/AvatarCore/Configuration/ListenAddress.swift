/// Where a side listens: an address of this machine and a port.
public struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
  /// The address; `localhost` was read as 127.0.0.1.
  public let address: IPAddress
  /// The port; 0 lets the system choose a free one.
  public let port: UInt16

  /// Makes an address.
  public init(address: IPAddress, port: UInt16) {
    self.address = address
    self.port = port
  }

  /// Reads `127.0.0.1:8080`, `[::1]:8080` or `localhost:8080`; nil for anything else. No names but `localhost`: which
  /// interface a name means may change behind an operator's back.
  public init?(_ text: some StringProtocol) {
    guard let colon = text.lastIndex(of: ":"),
      let port = DecimalText.digits(text[text.index(after: colon)...]).flatMap({ UInt16(exactly: $0) })
    else { return nil }
    let host = text[..<colon]
    let address: IPAddress?
    if host.first == "[", host.last == "]" {
      address = IPAddress(host.dropFirst().dropLast())
      guard case .v6 = address else { return nil }
    } else {
      address = IPAddress(host.lowercased() == "localhost" ? "127.0.0.1" : String(host))
      guard case .v4 = address else { return nil }
    }
    guard let address else { return nil }
    self.init(address: address, port: port)
  }

  /// `127.0.0.1:8080`, `[::1]:8080`.
  public var description: String { "\(host):\(port)" }

  /// The address as a URL writes it: IPv6 in brackets.
  public var host: String {
    switch address {
    case .v4: address.text
    case .v6: "[\(address.text)]"
    }
  }

  /// Whether only this machine can connect: 127.0.0.0/8, ::1 and the mapped forms of the former.
  public var isLoopback: Bool {
    switch address {
    case .v4(let bits): bits >> 24 == 127
    case .v6(let high, let low): high == 0 && (low == 1 || low >> 24 == 0xFFFF_7F)
    }
  }

  /// Whether every address of this machine is meant: 0.0.0.0, :: and the mapped form of the former.
  public var isWildcard: Bool {
    switch address {
    case .v4(let bits): bits == 0
    case .v6(let high, let low): high == 0 && (low == 0 || low == 0xFFFF_0000_0000)
    }
  }
}
