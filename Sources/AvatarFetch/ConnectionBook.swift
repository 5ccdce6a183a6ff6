import Glibc

/// Knows the socket behind each connection that libcurl keeps, so that one can be looked at before it is used again. Loop thread only.
///
/// libcurl 7.88 tells a callback which connection it chose by its four names, and no more.
final class ConnectionBook {
  /// What libcurl calls a connection by.
  struct Name: Hashable {
    var localAddress: String
    var localPort: Int32
    var peerAddress: String
    var peerPort: Int32
  }

  private var sockets: [Name: Int32] = [:]
  private var names: [Int32: Name] = [:]

  /// Enters a new connection; `candidates` are the sockets opened for it, of which one is in use.
  func enter(_ name: Name, candidates: [Int32]) {
    guard let socket = candidates.first(where: { Self.localPort(of: $0) == name.localPort }) else { return }
    sockets[name] = socket
    names[socket] = name
  }

  /// Whether a connection is known and has nothing to read, not even its end. What is not known is not quiet.
  func isQuiet(_ name: Name) -> Bool {
    guard let socket = sockets[name] else { return false }
    var byte: UInt8 = 0
    return recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) < 0 && errno == EAGAIN
  }

  /// Closes a socket and strikes it out.
  func close(_ socket: Int32) -> Int32 {
    if let name = names.removeValue(forKey: socket), sockets[name] == socket { sockets[name] = nil }
    return Glibc.close(socket)
  }

  private static func localPort(of socket: Int32) -> Int32? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let isKnown = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &length) == 0 }
    }
    guard isKnown else { return nil }
    // The port stands at the same place in the addresses of both families.
    return withUnsafeBytes(of: &storage) {
      Int32(UInt16(bigEndian: $0.loadUnaligned(fromByteOffset: 2, as: UInt16.self)))
    }
  }
}
