import AvatarCore
import Glibc
import Synchronization

/// A program that was started here and ends here: it is killed with its owner's last reference, or with the benchmark itself.
final class ChildProcess: Sendable {
  /// Its process identifier.
  let identifier: Int32
  /// Whom signals go to: the process, or its whole group.
  private let receiver: Int32
  /// Our end of its standard input: it ends with us, where the program looks.
  private let input: Int32
  /// Its standard output, if it was asked for.
  private let output: Int32
  private let status = Mutex<Int32?>(nil)

  /// All that run, for the end of the benchmark, and whether that has come.
  private static let running = Mutex((receivers: Set<Int32>(), isOver: false))

  /// Starts `program` (a path, or a name that is looked up) with `arguments`; what it writes goes to `log`, and its standard output to us where `reads` is set.
  /// One that `leadsGroup` ends with the processes it started, for a program that would leave them behind.
  init(
    _ program: String, _ arguments: [String], log: String, reads: Bool = false, leadsGroup: Bool = false
  ) throws(AvatarError) {
    var into: [Int32] = [-1, -1]
    var from: [Int32] = [-1, -1]
    guard Self.makePipe(&into), !reads || Self.makePipe(&from) else {
      throw AvatarError(.internalFault, "pipe: \(errno)")
    }
    defer {
      close(into[0])
      if reads { close(from[1]) }
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, into[0], 0)
    posix_spawn_file_actions_addopen(&actions, 2, log, O_WRONLY | O_CREAT | O_APPEND, 0o644)
    if reads {
      posix_spawn_file_actions_adddup2(&actions, from[1], 1)
    } else {
      posix_spawn_file_actions_adddup2(&actions, 2, 1)
    }
    // Signals are blocked here for the one thread that waits for them; a child begins with none blocked.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | (leadsGroup ? POSIX_SPAWN_SETPGROUP : 0)))

    var pointers: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    var identifier: pid_t = 0
    let code = posix_spawnp(&identifier, program, &actions, &attributes, &pointers, environ)
    guard code == 0 else {
      close(into[1])
      if reads { close(from[0]) }
      throw AvatarError(.internalFault, "\(program) cannot be started: \(String(cString: strerror(code)))")
    }
    self.identifier = identifier
    input = into[1]
    output = from[0]
    receiver = leadsGroup ? -identifier : identifier
    let started = receiver
    Self.running.withLock { running in
      running.receivers.insert(started)
      // A scenario whose server was just killed goes on until the process ends, and starts others.
      if running.isOver { kill(started, SIGKILL) }
    }
  }

  deinit {
    end(.kill)
    if output >= 0 { close(output) }
  }

  /// Whether it still runs.
  var isRunning: Bool { wait(blocking: false) == nil }

  /// The next line of its standard output, waited for at most so long; nil if none came.
  func line(within limit: Duration) -> String? {
    let deadline = Deadline.after(limit)
    var bytes: [UInt8] = []
    while bytes.last != 10 {
      var poller = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
      guard poll(&poller, 1, Int32(clamping: deadline.remaining.milliseconds)) == 1 else { return nil }
      var byte: UInt8 = 0
      guard read(output, &byte, 1) == 1 else { return nil }
      bytes.append(byte)
    }
    return String(decoding: bytes.dropLast(), as: UTF8.self)
  }

  /// How to end it.
  enum End { case terminate, kill }

  /// Ends it and waits for that: asked to, it has ten seconds.
  func end(_ how: End) {
    guard isRunning else { return }
    if how == .terminate {
      kill(receiver, SIGTERM)
      let deadline = Deadline.after(.seconds(10))
      while isRunning, !deadline.hasPassed { Pause.milliseconds(5) }
    }
    if isRunning { kill(receiver, SIGKILL) }
    _ = wait(blocking: true)
  }

  /// Kills what still runs and whatever is started from now on: for the end of the benchmark by a signal.
  static func killAll() {
    running.withLock { running in
      running.isOver = true
      for receiver in running.receivers { kill(receiver, SIGKILL) }
    }
  }

  /// A pipe that no other child inherits; children are started from one thread.
  private static func makePipe(_ ends: inout [Int32]) -> Bool {
    guard pipe(&ends) == 0 else { return false }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return true
  }

  private func wait(blocking: Bool) -> Int32? {
    status.withLock { status in
      if let status { return status }
      var result: Int32 = 0
      guard waitpid(identifier, &result, blocking ? 0 : WNOHANG) == identifier else { return nil }
      status = result
      // What it left behind, had it ended before us.
      if receiver < 0 { kill(receiver, SIGKILL) }
      Self.running.withLock { _ = $0.receivers.remove(receiver) }
      close(input)
      return result
    }
  }
}
