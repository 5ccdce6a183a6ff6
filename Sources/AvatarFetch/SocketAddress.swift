import AvatarCore
import CCurl  // Its header brings the socket types in too; which module they count for depends on the build.
import Glibc

extension IPAddress {
  /// The address in a C socket address that is as long as its family says; nil for other families.
  ///
  /// An IPv4-mapped IPv6 address stays IPv6: the policy knows what is inside, and the socket is an IPv6 one.
  init?(_ socketAddress: UnsafePointer<sockaddr>) {
    switch Int32(socketAddress.pointee.sa_family) {
    case AF_INET:
      let raw = UnsafeRawPointer(socketAddress).loadUnaligned(as: sockaddr_in.self)
      self = .v4(UInt32(bigEndian: raw.sin_addr.s_addr))
    case AF_INET6:
      let raw = UnsafeRawPointer(socketAddress).loadUnaligned(as: sockaddr_in6.self)
      let halves = withUnsafeBytes(of: raw.sin6_addr) {
        ($0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
      }
      self = .v6(high: UInt64(bigEndian: halves.0), low: UInt64(bigEndian: halves.1))
    default:
      return nil
    }
  }
}
