import CLinux
import Glibc

/// Runs a body on a thread of its own, under a name that `ps -L` and `top -H` show.
enum NamedThread {
  private final class Body: Sendable {
    let name: String
    let run: @Sendable () -> Void
    init(name: String, run: @escaping @Sendable () -> Void) {
      self.name = name
      self.run = run
    }
  }

  /// Starts a detached thread; `name` has at most 15 bytes. Throws where the machine has no thread left.
  static func start(_ name: String, _ run: @escaping @Sendable () -> Void) throws(SystemFault) {
    let body = Unmanaged.passRetained(Body(name: name, run: run))
    var thread = pthread_t()
    let result = pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        let body = Unmanaged<Body>.fromOpaque(argument).takeRetainedValue()
        linux_name_thread(body.name)
        body.run()
        return nil
      }, body.toOpaque())
    guard result == 0 else {
      body.release()
      throw SystemFault(call: "pthread_create", number: result)
    }
    pthread_detach(thread)
  }
}
