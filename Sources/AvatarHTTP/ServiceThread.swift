import AvatarCore
import CMicroHTTPD
import Glibc

/// A named thread of our own, for what may block. Joined once, by its owner.
///
/// `@unchecked Sendable`: the handle is immutable.
final class ServiceThread: @unchecked Sendable {
  private let handle: pthread_t

  /// Starts a thread; the name has at most 15 bytes. Throws `internal` where the system has no thread left.
  init(named name: StaticString, _ body: @escaping @Sendable () -> Void) throws(AvatarError) {
    let start = Unmanaged.passRetained(Start(name: name, body: body))
    var handle = pthread_t()
    let failure = pthread_create(
      &handle, nil,
      { start in
        guard let start else { return nil }
        let taken = Unmanaged<Start>.fromOpaque(start).takeRetainedValue()
        CMicroHTTPD_nameThread(taken.name.description)
        taken.body()
        return nil
      }, start.toOpaque())
    guard failure == 0 else {
      start.release()
      throw AvatarError(.internalFault, "pthread_create: \(String(cString: strerror(failure)))")
    }
    self.handle = handle
  }

  /// Waits for its end.
  func join() { pthread_join(handle, nil) }
}

private final class Start: Sendable {
  let name: StaticString
  let body: @Sendable () -> Void

  init(name: StaticString, body: @escaping @Sendable () -> Void) {
    self.name = name
    self.body = body
  }
}
