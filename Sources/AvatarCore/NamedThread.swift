import Glibc
import Synchronization

/// A thread of our own for what blocks, so that it never blocks the cooperative pool.
///
/// It takes no signals but its own faults: a drain's SIGTERM goes to whoever waits for it, and a write to a connection or pipe that the other
/// side closed ends in an error rather than in SIGPIPE.
public final class NamedThread: Sendable {
  private enum Handle: Sendable {
    case joinable(pthread_t)
    case given
  }
  private let handle: Mutex<Handle>

  /// Runs `body` on a new thread called `name` (at most 15 bytes, for people who look at threads). Throws `internal` where the system has no thread left.
  public init(
    _ name: String, stackBytes: Int = 1 << 20, urgency: ThreadUrgency = .usual, _ body: @escaping @Sendable () -> Void
  ) throws(AvatarError) {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setstacksize(&attributes, stackBytes)

    var blocked = sigset_t()
    var previous = sigset_t()
    sigfillset(&blocked)
    for fault in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT] { sigdelset(&blocked, fault) }
    pthread_sigmask(SIG_SETMASK, &blocked, &previous)  // The new thread inherits the mask: no window without it.
    defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }

    let start = Unmanaged.passRetained(Start(name: name, urgency: urgency, body: body))
    var thread = pthread_t()
    let code = pthread_create(
      &thread, &attributes,
      { context in
        guard let context else { return nil }
        let start = Unmanaged<Start>.fromOpaque(context).takeRetainedValue()
        start.introduce()
        start.body()
        return nil
      }, start.toOpaque())
    guard code == 0 else {
      start.release()
      throw AvatarError(.internalFault, "pthread_create: \(code)")
    }
    handle = Mutex(.joinable(thread))
  }

  /// Runs `body` on a thread that nobody waits for; false where the system has none left.
  public static func start(
    _ name: String, stackBytes: Int = 512 << 10, urgency: ThreadUrgency = .usual, _ body: @escaping @Sendable () -> Void
  ) -> Bool {
    do throws(AvatarError) {
      try NamedThread(name, stackBytes: stackBytes, urgency: urgency, body).detach()
      return true
    } catch {
      return false
    }
  }

  deinit { take().map { _ = pthread_detach($0) } }

  /// Waits for its end; returns at once where someone has waited before.
  public func join() { take().map { _ = pthread_join($0, nil) } }

  /// Lets it run to its end without anyone waiting for it.
  public func detach() { take().map { _ = pthread_detach($0) } }

  private func take() -> pthread_t? {
    handle.withLock { handle in
      defer { handle = .given }
      if case .joinable(let thread) = handle { return thread }
      return nil
    }
  }

  private final class Start: Sendable {
    let name: String
    let urgency: ThreadUrgency
    let body: @Sendable () -> Void

    init(name: String, urgency: ThreadUrgency, body: @escaping @Sendable () -> Void) {
      self.name = name
      self.urgency = urgency
      self.body = body
    }

    /// On the new thread. glibc's `pthread_setname_np` is hidden from Swift; writing `comm` is what it does.
    func introduce() {
      urgency.apply()
      let descriptor = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return }  // Nothing needs the name.
      _ = write(descriptor, name, min(name.utf8.count, 15))
      close(descriptor)
    }
  }
}
