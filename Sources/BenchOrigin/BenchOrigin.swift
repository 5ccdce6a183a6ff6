public import BenchPictures
internal import CLinux
internal import Glibc

/// An HTTP/1.1 origin of pictures on loopback: one thread, scripted by what is asked of it.
///
/// `/KIND/GROUP/NAME?options` is a picture of the kind (`PictureKind`'s raw values), the same one for the same name, with a
/// strong ETag, Last-Modified and `max-age=3600`. Options: `delay=20ms`, `status=503`, `rate=64KiB` (of the body, a second),
/// `redirect=3`, `max-age=60`, `no-store`, `hang`, `reset`, `close-early`, `chunked`; one that is none of these gets 400.
///
/// The control side, which is not counted: `/-/counts`, `/-/counts?group=KIND/GROUP`, `/-/change?group=KIND/GROUP` (other
/// pictures from now on) and `/-/behave?group=KIND/GROUP&options` (for every request of the group from now on).
///
/// `@unchecked Sendable`: the loop belongs to the thread that calls `run`; all else is constant, and `stop` only writes to a
/// counter of the kernel's.
public final class BenchOrigin: @unchecked Sendable {
  /// The port it listens on.
  public let boundPort: UInt16
  private let listener: Int32
  private let wake: Int32
  private let loop: OriginLoop

  /// Listens on 127.0.0.1, on any free port where `port` is 0; clients wait until `run`.
  ///
  /// More clients than `connectionLimit` wait until others have left. Throws where the port is taken.
  public init(
    port: UInt16, pictures: PictureBook, connectionLimit: Int = 16_384
  ) throws(OriginFault) {
    precondition(connectionLimit > 0, "an origin for nobody")
    let listener = Glibc.socket(
      AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard listener >= 0 else { throw OriginFault("socket", errno) }
    let wake = linux_wakeup()
    do throws(OriginFault) {
      guard wake >= 0 else { throw OriginFault("eventfd", -wake) }
      boundPort = try Self.listen(listener, port: port)
      loop = try OriginLoop(
        listener: listener, wake: wake, answers: OriginAnswers(pictures: pictures), connectionLimit: connectionLimit)
    } catch {
      close(listener)
      if wake >= 0 { close(wake) }
      throw error
    }
    (self.listener, self.wake) = (listener, wake)
  }

  deinit {
    close(listener)
    close(wake)
  }

  /// Serves until `stop`, in the calling thread; once.
  public func run() { loop.run() }

  /// Has `run` return, with every connection closed; from any thread, and before `run` too.
  public func stop() {
    var one: UInt64 = 1
    _ = write(wake, &one, 8)
  }

  private static func listen(_ socket: Int32, port: UInt16) throws(OriginFault) -> UInt16 {
    var on: Int32 = 1
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafeMutableBytes(of: &address) { place -> Int32 in
      let address = place.assumingMemoryBound(to: sockaddr.self).baseAddress
      guard bind(socket, address, length) == 0, Glibc.listen(socket, SOMAXCONN) == 0,
        getsockname(socket, address, &length) == 0
      else { return errno }
      return 0
    }
    guard code == 0 else { throw OriginFault("listening on port \(port)", code) }
    return UInt16(bigEndian: address.sin_port)
  }
}
