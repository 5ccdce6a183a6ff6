public import AvatarCore
import Glibc
import Synchronization

/// The log: one line an event on a file descriptor, as JSON or as text.
///
/// Lines are made by whoever logs and written by a thread of the log's own, `avatar-log`, so that a reader that stalls
/// or a slow disk stops nobody: up to 1 MiB of lines waits, further ones are dropped and counted in a `log_dropped` line
/// once there is room. Call `flush` before the process ends.
public final class JSONLineLog: EventLogging {
  private let descriptor: Int32
  private let format: Configuration.Log.Format
  private let clock: any WallClock
  private let rank: Atomic<Int>
  private let backlog: Mutex<LogBacklog>
  /// Held while bytes are on their way to `descriptor`, so that lines keep their order.
  private let writing = Mutex(())
  /// A byte through this pair of sockets wakes the writer.
  private let wakeRead: Int32
  private let wakeWrite: Int32

  /// Starts a log on a duplicate of `descriptor`, which stays the caller's. `format` nil: text on a terminal, else
  /// JSON. `backlogBytes` bounds what waits. Throws `internal` where the system gives no sockets or thread.
  public init(
    descriptor: Int32, format: Configuration.Log.Format? = nil, level: LogLevel = .info, clock: any WallClock,
    backlogBytes: Int = 1 << 20
  ) throws(AvatarError) {
    self.descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
    guard self.descriptor >= 0 else {
      throw AvatarError(.internalFault, "no descriptor for the log: errno \(errno)")
    }
    self.format = format ?? (isatty(descriptor) == 1 ? .text : .json)
    self.clock = clock
    rank = Atomic(Self.rank(level))
    backlog = Mutex(LogBacklog(limit: backlogBytes))
    var ends: [Int32] = [-1, -1]
    // A pair of sockets rather than a pipe: it gets its flags at birth, before another thread can spawn a process.
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
      close(self.descriptor)
      throw AvatarError(.internalFault, "no sockets for the log: errno \(errno)")
    }
    (wakeRead, wakeWrite) = (ends[0], ends[1])
    // It takes no signals: a closed pipe is then an error of write(2) rather than the process's end.
    let isRunning = NamedThread.start("avatar-log") { [weak self, wakeRead] in
      Self.write(whileThere: { self }, wokenBy: wakeRead)
    }
    guard isRunning else {
      close(wakeRead)
      throw AvatarError(.internalFault, "no thread for the log")
    }
  }

  deinit {
    flush(within: .seconds(1))
    // The writer sees the end of its socket, ends, and closes its own side.
    close(wakeWrite)
    close(descriptor)
  }

  /// The level from which lines are written; may change at any time, from any thread.
  public var level: LogLevel {
    get { LogLevel.allCases[rank.load(ordering: .relaxed)] }
    set { rank.store(Self.rank(newValue), ordering: .relaxed) }
  }

  /// Whether a line of this level would be written.
  public func isEnabled(_ level: LogLevel) -> Bool { Self.rank(level) >= rank.load(ordering: .relaxed) }

  /// Makes a line and leaves it to the writer. Never blocks on the descriptor, never fails.
  public func log(_ level: LogLevel, _ event: StaticString, _ fields: [(StaticString, LogValue)]) {
    guard isEnabled(level) else { return }
    let line = LogLine.encode(format, time: clock.now, level, event, fields)
    if backlog.withLock({ $0.append(line) }) { wake() }
  }

  /// Writes all that was logged before, or gives up after `limit`. Blocks: for the end of a process.
  public func flush(within limit: Duration) {
    let deadline = Deadline.after(limit)
    while true {
      let isDone = writing.withLockIfAvailable { _ in
        drain(until: deadline)
        return backlog.withLock { $0.isEmpty }
      }
      if isDone == true || deadline.hasPassed { return }
      poll(nil, 0, 1)  // The writer is at it, or the descriptor takes nothing: a millisecond until the next look.
    }
  }

  private static func rank(_ level: LogLevel) -> Int { LogLevel.allCases.firstIndex(of: level) ?? 0 }

  /// A full socket has woken the writer already.
  private func wake() {
    var byte: UInt8 = 1
    while send(wakeWrite, &byte, 1, Int32(MSG_NOSIGNAL)) < 0, errno == EINTR {}
  }

  // MARK: The writer

  /// The thread's life: sleeps until woken, writes what waits, ends with the log.
  private static func write(whileThere log: () -> JSONLineLog?, wokenBy socket: Int32) {
    var bytes = [UInt8](repeating: 0, count: 64)
    while true {
      var waiting = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
      guard poll(&waiting, 1, -1) >= 0 || errno == EINTR else { break }
      let count = read(socket, &bytes, bytes.count)
      if count == 0 { break }
      guard count > 0 else { continue }
      guard let log = log() else { break }
      log.writing.withLock { _ in log.drain(until: nil) }
    }
    close(socket)
  }

  /// Writes what waits until nothing does or the deadline has passed. The caller holds `writing`.
  private func drain(until deadline: Deadline?) {
    while true {
      let (bytes, dropped) = backlog.withLock { $0.takeAll() }
      if bytes.isEmpty, dropped == 0 { return }
      let written = write(bytes, until: deadline)
      let lost = bytes[written...].count { $0 == UInt8(ascii: "\n") } + dropped
      guard lost > 0 else { continue }
      let notice = LogLine.encode(
        format, time: clock.now, .warning, "log_dropped", [("lines", .number(Int64(lost)))])
      if written < bytes.count || write(notice, until: deadline) < notice.count {
        // Not now: the next line that gets through tells of these as well.
        backlog.withLock { $0.countDropped(lost) }
        return
      }
    }
  }

  /// Writes as much as goes; waits for room until the deadline. A descriptor that fails takes nothing more of this.
  private func write(_ bytes: [UInt8], until deadline: Deadline?) -> Int {
    var offset = 0
    while offset < bytes.count {
      var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      let wait = deadline.map { Int32(clamping: $0.remaining.milliseconds + 1) } ?? -1
      let ready = poll(&room, 1, wait)
      if ready == 0 { return offset }
      // A pipe that is ready takes at least this much without blocking.
      let piece = min(bytes.count - offset, Int(PIPE_BUF))
      let count = bytes[offset..<(offset + piece)].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, piece) }
      if count > 0 {
        offset += count
      } else if errno != EINTR, errno != EAGAIN {
        return offset
      }
    }
    return offset
  }
}
