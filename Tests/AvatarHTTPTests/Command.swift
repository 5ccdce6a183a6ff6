import Glibc

/// Runs a program for a test.
enum Command {
  struct Failed: Error { let call: String }

  /// What the program writes to its standard output until it ends; its standard error goes nowhere.
  static func output(of program: String, _ arguments: [String], input: String = "") throws -> String {
    let stdin = try Pipe()
    let stdout = try Pipe()
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, stdin.reading, 0)
    posix_spawn_file_actions_adddup2(&actions, stdout.writing, 1)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    var texts: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
    defer { for text in texts { free(text) } }
    var child = pid_t()
    guard posix_spawn(&child, program, &actions, nil, &texts, environ) == 0 else { throw Failed(call: program) }
    stdout.closeWriting()
    var bytes = Array(input.utf8)
    guard write(stdin.writing, &bytes, bytes.count) == bytes.count else { throw Failed(call: "write to \(program)") }
    stdin.closeWriting()
    var output: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = read(stdout.reading, &buffer, buffer.count)
      guard count > 0 else { break }
      output += buffer[..<count]
    }
    var status: Int32 = 0
    waitpid(child, &status, 0)
    return String(decoding: output, as: UTF8.self)
  }

  private final class Pipe {
    let reading: Int32
    private(set) var writing: Int32

    init() throws {
      var ends: [Int32] = [0, 0]
      guard pipe(&ends) == 0 else { throw Failed(call: "pipe") }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      reading = ends[0]
      writing = ends[1]
    }

    deinit {
      close(reading)
      closeWriting()
    }

    func closeWriting() {
      if writing >= 0 { close(writing) }
      writing = -1
    }
  }
}
