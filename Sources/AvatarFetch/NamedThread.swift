import CCurl
import Glibc

/// Threads of our own for what blocks, so that it never blocks the cooperative pool.
enum NamedThread {
  private final class Start {
    let name: String
    let body: @Sendable () -> Void
    init(name: String, body: @escaping @Sendable () -> Void) {
      self.name = name
      self.body = body
    }
  }

  /// Runs `body` on a detached thread called `name` (at most 15 bytes); false if the system has no thread for us.
  ///
  /// The thread takes no signals but its own faults: a drain's SIGTERM goes to whoever waits for it, and a write to a connection that
  /// the other side closed (inside a TLS library, where no flag can be passed) ends in an error rather than in SIGPIPE.
  static func start(_ name: String, stackBytes: Int = 512 << 10, _ body: @escaping @Sendable () -> Void) -> Bool {
    var attributes = pthread_attr_t()
    guard pthread_attr_init(&attributes) == 0 else { return false }
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    pthread_attr_setstacksize(&attributes, stackBytes)

    var blocked = sigset_t()
    var previous = sigset_t()
    sigfillset(&blocked)
    for fault in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT] { sigdelset(&blocked, fault) }
    pthread_sigmask(SIG_SETMASK, &blocked, &previous)  // The new thread inherits the mask: no window without it.
    defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }

    let start = Unmanaged.passRetained(Start(name: name, body: body))
    var thread = pthread_t()
    let code = pthread_create(
      &thread, &attributes,
      { context in
        guard let context else { return nil }
        let start = Unmanaged<Start>.fromOpaque(context).takeRetainedValue()
        avatar_thread_set_name(start.name)
        start.body()
        return nil
      }, start.toOpaque())
    if code != 0 { start.release() }
    return code == 0
  }
}
