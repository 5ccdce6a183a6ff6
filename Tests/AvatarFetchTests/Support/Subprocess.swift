import AvatarCore
import Foundation
import Glibc

/// Another program that a test needs; one that is missing is a fault, not a reason to skip.
///
/// Not Foundation's `Process`: its children inherit the pool's blocked signals, and its waits then block the pool for good.
struct Subprocess: Sendable {
  private let identifier: pid_t

  /// Runs a program to its end and gives its output.
  static func run(_ command: [String], input: [UInt8] = [], in directory: URL? = nil) throws -> [UInt8] {
    let scratch = FileManager.default.temporaryDirectory.appendingPathComponent("avatar-fetch-\(UUID().uuidString)")
    let (source, target) = (scratch.path + ".in", scratch.path + ".out")
    defer { for path in [source, target] { unlink(path) } }
    try Data(input).write(to: URL(fileURLWithPath: source))
    let status = try Subprocess(command, input: source, output: target, in: directory).wait()
    guard status == 0 else { throw AvatarError(.internalFault, "\(command.joined(separator: " ")): status \(status)") }
    return Array(try Data(contentsOf: URL(fileURLWithPath: target)))
  }

  /// Starts a program, found by its name, and lets it run.
  init(_ command: [String], input: String = "/dev/null", output: String = "/dev/null", in directory: URL? = nil) throws
  {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    // Threads of the pool block all signals, and a child inherits that: it would not hear SIGTERM.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var noSignals = sigset_t()
    sigemptyset(&noSignals)
    posix_spawnattr_setsigmask(&attributes, &noSignals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    let command = directory.map { ["env", "-C", $0.path] + command } ?? command
    let path = ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"]
    let arguments = command.map { strdup($0) } + [nil]
    let environment = path.map { strdup($0) } + [nil]
    defer { for text in arguments + environment { free(text) } }
    var identifier = pid_t()
    let code = posix_spawnp(&identifier, command[0], &actions, &attributes, arguments, environment)
    guard code == 0 else { throw AvatarError(.internalFault, "\(command[0]) does not start: errno \(code)") }
    self.identifier = identifier
  }

  /// Waits for its end; gives the raw wait status, 0 for success.
  func wait() -> Int32 {
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
    return status
  }

  /// Asks it to end, and waits until it has.
  func terminate() {
    kill(identifier, SIGTERM)
    _ = wait()
  }
}
