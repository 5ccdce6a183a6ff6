import Glibc

/// Starts the log's one thread.
enum LogThread {
  /// Runs `body` on a detached thread named `avatar-log` with all signals blocked: a closed pipe is then an error of write(2)
  /// rather than the process's end. Returns 0 or the reason as an errno.
  static func start(_ body: @escaping @Sendable () -> Void) -> Int32 {
    var signals = sigset_t()
    var previous = sigset_t()
    sigfillset(&signals)
    pthread_sigmask(SIG_SETMASK, &signals, &previous)
    defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }
    return create(Body(run: body))
  }

  private static func create(_ body: Body) -> Int32 {
    let box = Unmanaged.passRetained(body)
    var thread = pthread_t()
    let failure = pthread_create(&thread, nil, logThreadMain, box.toOpaque())
    if failure == 0 { pthread_detach(thread) } else { box.release() }
    return failure
  }

  /// Names the calling thread. (glibc's `pthread_setname_np` is hidden from Swift; this is what it does.)
  fileprivate static func name(_ name: String) {
    let descriptor = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }  // The name is for people who look at threads; nothing needs it.
    _ = write(descriptor, name, name.utf8.count)
    close(descriptor)
  }

  /// What the thread runs.
  fileprivate final class Body: Sendable {
    let run: @Sendable () -> Void
    init(run: @escaping @Sendable () -> Void) { self.run = run }
  }
}

private func logThreadMain(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let argument else { return nil }
  LogThread.name("avatar-log")
  Unmanaged<LogThread.Body>.fromOpaque(argument).takeRetainedValue().run()
  return nil
}
