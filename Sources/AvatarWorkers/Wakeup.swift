import CLinux
import Glibc

/// Lets any thread end the supervisor's wait.
final class Wakeup: Sendable {
  private let descriptor: Descriptor
  /// For the poller.
  var number: Int32 { descriptor.number }

  /// Throws the error number, such as EMFILE.
  init() throws(SystemFault) {
    descriptor = Descriptor(owning: try SystemFault.check("eventfd", linux_wakeup()))
  }

  /// Ends the present wait, or else the next one. A full counter has a wake-up in it already.
  func signal() {
    var one: UInt64 = 1
    _ = write(descriptor.number, &one, 8)
  }

  /// Takes back what was signalled.
  func drain() {
    var count: UInt64 = 0
    _ = read(descriptor.number, &count, 8)
  }
}
