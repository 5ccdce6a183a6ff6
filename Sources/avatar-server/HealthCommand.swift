import AvatarCore
import Glibc

/// `health`: exit 0 if the service that this configuration describes is ready; for container health checks.
enum HealthCommand {
  /// Asks `/readyz` on the control side, on loopback where that listens on every address.
  static func run(_ configuration: Configuration) -> Int32 {
    let listen = configuration.controlListen
    guard let answer = ask(listen.address, port: listen.port) else {
      Console.write("\(Product.name): no answer from the control side\n", to: STDERR_FILENO)
      return 1
    }
    if answer.hasPrefix("HTTP/1.1 200") { return 0 }
    let body = answer.split(separator: "\r\n", omittingEmptySubsequences: false).last ?? ""
    Console.write("\(Product.name): not ready: \(body)\n", to: STDERR_FILENO)
    return 1
  }

  private static func ask(_ address: IPAddress, port: UInt16) -> String? {
    let isV4: Bool
    if case .v4 = address { isV4 = true } else { isV4 = false }
    let descriptor = socket(isV4 ? AF_INET : AF_INET6, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var patience = timeval(tv_sec: 3, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(descriptor, SOL_SOCKET, option, &patience, socklen_t(MemoryLayout<timeval>.size))
    }
    guard connect(descriptor, to: address, port: port) else { return nil }
    Console.write("GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", to: descriptor)
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while bytes.count < 65536 {
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { break }
      bytes += buffer[..<count]
    }
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
  }

  private static func connect(_ descriptor: Int32, to address: IPAddress, port: UInt16) -> Bool {
    switch address {
    case .v4(let bits):
      var target = sockaddr_in()
      target.sin_family = sa_family_t(AF_INET)
      target.sin_port = port.bigEndian
      target.sin_addr.s_addr = (bits == 0 ? 0x7F00_0001 : bits).bigEndian
      return connect(descriptor, &target)
    case .v6(let high, let low):
      var target = sockaddr_in6()
      target.sin6_family = sa_family_t(AF_INET6)
      target.sin6_port = port.bigEndian
      withUnsafeMutableBytes(of: &target.sin6_addr) { bytes in
        bytes.storeBytes(of: high.bigEndian, as: UInt64.self)
        bytes.storeBytes(of: (high == 0 && low == 0 ? 1 : low).bigEndian, toByteOffset: 8, as: UInt64.self)
      }
      return connect(descriptor, &target)
    }
  }

  private static func connect(_ descriptor: Int32, _ target: inout some Any) -> Bool {
    withUnsafeBytes(of: &target) { bytes in
      guard let base = bytes.baseAddress else { return false }
      return Glibc.connect(descriptor, base.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count)) == 0
    }
  }
}
