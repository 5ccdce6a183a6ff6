import Glibc

/// The signals that the service acts upon. The main thread does nothing but wait for them.
///
/// Every thread must block them, or the kernel picks one that does not and ends the process. That rules out an `async` main: its run
/// loop parks the main thread with all signals open.
enum Signals {
  /// What an operator asks for by a signal.
  enum Request: Sendable {
    /// SIGTERM or SIGINT.
    case stop
    /// SIGHUP.
    case reload
  }

  /// Blocks them for the calling thread and all that it starts; to be called before there is another.
  static func block() {
    var set = watched
    pthread_sigmask(SIG_BLOCK, &set, nil)
    signal(SIGPIPE, SIG_IGN)
  }

  /// Waits for signals for as long as the process lives, on the calling thread.
  static func wait(for feed: AsyncStream<Request>.Continuation) -> Never {
    var set = watched
    while true {
      var number: Int32 = 0
      guard sigwait(&set, &number) == 0 else { continue }
      feed.yield(number == SIGHUP ? .reload : .stop)
    }
  }

  private static var watched: sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for number in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&set, number) }
    return set
  }
}
