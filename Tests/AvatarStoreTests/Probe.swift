import Glibc
import Synchronization

@testable import AvatarStore

/// A child process running the store's probe.
///
/// Not by Foundation's `Process`: with many pipes at once its dispatch sources crash or hang now and then.
final class Probe: Sendable {
  struct Ended: Hashable, Sendable {
    var status: Int32
    var wasKilled: Bool
    var output: String
  }

  private struct State {
    var text = ""
    var ended: Ended?
    var waiting: [(text: String?, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let identifier: pid_t
  private let state: Box<State>
  private let reader: JobQueue<Void>

  /// Starts the probe; `inMountNamespace` gives it file systems of its own, as root or as an ordinary user.
  init(_ arguments: [String], inMountNamespace: Bool = false) throws {
    let probe = try Self.folder() + "/store-probe"
    guard access(probe, X_OK) == 0 else { throw ProbeError(text: "\(probe) is not there") }
    var command = [probe] + arguments
    if inMountNamespace {
      command = ["/usr/bin/unshare"] + (geteuid() == 0 ? [] : ["--user", "--map-root-user"]) + ["--mount"] + command
    }
    var ends: [Int32] = [0, 0]
    // A socket pair and not a pipe: it is close-on-exec from its first moment, so that no other child holds it open.
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw StoreFault.errno("make a socket pair")
    }
    let output = ends[0]
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    posix_spawn_file_actions_adddup2(&actions, ends[1], 2)
    var child: pid_t = 0
    var words: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    let code = posix_spawn(&child, command[0], &actions, nil, &words, environ)
    close(ends[1])
    guard code == 0 else {
      close(output)
      throw StoreFault(.file(code), "start the probe")
    }
    let (identifier, state) = (child, Box(State()))
    self.identifier = identifier
    self.state = state
    reader = JobQueue<Void>(name: "probe-reader", threads: 1, capacity: 1, make: {})
    guard reader.submit({ _ in Self.readAll(output, of: identifier, into: state) }) else {
      throw StoreFault(.queueFull, "read the probe's output")
    }
  }

  /// Waits until its output holds `text`; false where it ends before.
  func says(_ text: String) async -> Bool {
    await wait(for: text)
    return state.value.withLock { $0.text.contains(text) }
  }

  /// Ends it with SIGKILL.
  func kill() { Glibc.kill(identifier, SIGKILL) }

  /// Waits for its end.
  func end() async -> Ended? {
    await wait(for: nil)
    return state.value.withLock { $0.ended }
  }

  private func wait(for text: String?) async {
    await withCheckedContinuation { continuation in
      let isOver = state.value.withLock { state in
        if state.ended != nil { return true }
        if let text, state.text.contains(text) { return true }
        state.waiting.append((text, continuation))
        return false
      }
      if isOver { continuation.resume() }
    }
  }

  private static func readAll(_ output: Int32, of identifier: pid_t, into state: Box<State>) {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(output, &buffer, buffer.count)
      if count > 0 { wake(state) { $0.text += String(decoding: buffer[..<count], as: UTF8.self) } }
      if count == 0 || (count < 0 && errno != EINTR) { break }
    }
    close(output)
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
    // WIFEXITED, WEXITSTATUS and WIFSIGNALED are macros that Swift does not see.
    wake(state) { $0.ended = Ended(status: (status >> 8) & 0xFF, wasKilled: status & 0x7F != 0, output: $0.text) }
  }

  /// Changes the state and wakes those whose wait is over.
  private static func wake(_ state: Box<State>, after change: (inout State) -> Void) {
    let woken = state.value.withLock { state in
      change(&state)
      let (whole, hasEnded) = (state.text, state.ended != nil)
      let isOver = { (text: String?) in hasEnded || text.map(whole.contains) ?? false }
      defer { state.waiting.removeAll { isOver($0.text) } }
      return state.waiting.filter { isOver($0.text) }
    }
    for waiter in woken { waiter.continuation.resume() }
  }

  /// Where the tests' own program lies: programs of the package are beside it.
  private static func folder() throws -> String {
    var path = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &path, path.count)
    guard count > 0 else { throw StoreFault.errno("find the tests' program") }
    let text = String(decoding: path[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    return String(text[..<(text.lastIndex(of: "/") ?? text.startIndex)])
  }
}

/// Why a probe could not be started.
struct ProbeError: Error {
  var text: String
}
