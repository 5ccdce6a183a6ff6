import AvatarCore
import CMicroHTTPD
import Glibc

/// Owns a listening TCP socket and the event that ends waiting for it. `close` is called once, when nobody waits.
final class ListenSocket: Sendable {
  private let descriptor: Int32
  private let wakeUp: WakeUp
  /// The port that it is bound to.
  let port: UInt16

  /// Binds and listens; throws `internal` with the address and the reason.
  init(host: String, port: UInt16) throws(AvatarError) {
    wakeUp = try WakeUp()
    var hints = addrinfo()
    hints.ai_family = AF_UNSPEC
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = Int32(AI_PASSIVE) | Int32(AI_NUMERICSERV)
    var found: UnsafeMutablePointer<addrinfo>?
    let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    let failure = getaddrinfo(bare, String(port), &hints, &found)
    guard failure == 0, let first = found else {
      throw AvatarError(.internalFault, "\(host) is not an address: \(String(cString: gai_strerror(failure)))")
    }
    defer { freeaddrinfo(first) }
    let address = first.pointee
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let descriptor = socket(address.ai_family, type, 0)
    guard descriptor >= 0 else { throw Self.fault("socket", host, port) }
    var on: Int32 = 1
    var off: Int32 = 0
    let size = socklen_t(MemoryLayout<Int32>.size)
    _ = setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, size)
    if address.ai_family == AF_INET6 {
      _ = setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &off, size)
    }
    guard bind(descriptor, address.ai_addr, address.ai_addrlen) == 0, listen(descriptor, SOMAXCONN) == 0 else {
      let fault = Self.fault("bind", host, port)
      Glibc.close(descriptor)
      throw fault
    }
    self.descriptor = descriptor
    self.port = Self.boundPort(of: descriptor) ?? port
  }

  /// Gives the descriptor back; the system refuses clients from here on.
  func close() {
    Glibc.close(descriptor)
  }

  /// What `accept` found.
  enum Arrival {
    case socket(AcceptedSocket)
    /// `wake` was called.
    case woken
    /// The process is out of descriptors or memory.
    case exhausted(Int32)
  }

  /// Blocks until a client connects or `wake` is called.
  func accept() -> Arrival {
    var waits = [
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    while true {
      _ = poll(&waits, 2, -1)
      if waits[1].revents != 0 { return .woken }
      var address = sockaddr_storage()
      var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
      let taken = withUnsafeMutablePointer(to: &address) { address in
        address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
          CMicroHTTPD_accept(descriptor, address, &length)
        }
      }
      if taken >= 0 { return .socket(AcceptedSocket(descriptor: taken, address: address, length: length)) }
      switch errno {
      case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted(errno)
      default: break  // The client left before it was accepted, or a signal came.
      }
    }
  }

  /// Waits a little for descriptors to come free; true if `wake` was called meanwhile.
  func pause(milliseconds: Int32) -> Bool { wakeUp.wait(milliseconds: milliseconds) }

  /// Ends `accept` or `pause`, whichever is next. The one caller joins the waiting thread.
  func wake() { wakeUp.signal() }

  private static func boundPort(of descriptor: Int32) -> UInt16? {
    var address = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    guard result == 0 else { return nil }
    // The port is at the same place in IPv4's and IPv6's form.
    return withUnsafeBytes(of: &address) { UInt16($0[2]) << 8 | UInt16($0[3]) }
  }

  private static func fault(_ call: String, _ host: String, _ port: UInt16) -> AvatarError {
    AvatarError(.internalFault, "\(call) \(host) port \(port): \(String(cString: strerror(errno)))")
  }
}

/// A connected socket that is nobody's yet.
struct AcceptedSocket: Sendable {
  let descriptor: Int32
  let address: sockaddr_storage
  let length: socklen_t
}
