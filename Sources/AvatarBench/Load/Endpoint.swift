import Glibc

/// A TCP address to connect to: an IPv4 or IPv6 literal, or `localhost`, with a port.
public struct Endpoint: Sendable, Hashable, CustomStringConvertible {
  /// The address as text.
  public let host: String
  /// The port.
  public let port: UInt16
  private let bytes: [UInt8]

  /// On IPv4 loopback.
  public init(loopback port: UInt16) {
    // A literal that `inet_pton` reads.
    self = Self(host: "127.0.0.1", port: port).unsafelyUnwrapped
  }

  /// nil if `host` is no address: names are not looked up, so that no measurement depends on a resolver.
  public init?(host: String, port: UInt16) {
    let literal = host == "localhost" ? "127.0.0.1" : host
    var four = in_addr()
    var six = in6_addr()
    if inet_pton(AF_INET, literal, &four) == 1 {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr = four
      bytes = withUnsafeBytes(of: address) { Array($0) }
    } else if inet_pton(AF_INET6, literal, &six) == 1 {
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      address.sin6_addr = six
      bytes = withUnsafeBytes(of: address) { Array($0) }
    } else {
      return nil
    }
    self.host = literal
    self.port = port
  }

  /// As a URL's authority has it.
  public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// A connected or, if `waits` is false, connecting socket; nil with errno if there is none.
  func connect(waits: Bool) -> Int32? {
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | (waits ? 0 : Int32(SOCK_NONBLOCK.rawValue))
    let family = bytes.count == MemoryLayout<sockaddr_in>.size ? AF_INET : AF_INET6
    let socket = socket(family, kind, 0)
    guard socket >= 0 else { return nil }
    var on: Int32 = 1
    setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    // A request is one segment. BBR, where it is the system's choice, would set a timer for each to pace it.
    setsockopt(socket, Int32(IPPROTO_TCP), TCP_CONGESTION, "reno", 4)
    let result = bytes.withUnsafeBytes { raw in
      Glibc.connect(socket, raw.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(raw.count))
    }
    if result == 0 || errno == EINPROGRESS { return socket }
    let fault = errno
    close(socket)
    errno = fault
    return nil
  }
}
