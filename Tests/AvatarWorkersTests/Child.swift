import CProbe
import Glibc
import Testing

/// A program whose output the test reads: its standard output, or its standard error.
final class Child {
  let process: pid_t
  private let output: Int32

  init(_ words: [String], capturing descriptor: Int32 = 1) throws {
    var ends: [Int32] = [0, 0]
    try #require(probe_pipe(&ends) == 0)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], descriptor)
    var arguments = words.map { strdup($0) }
    arguments.append(nil)
    defer { for argument in arguments { free(argument) } }
    var pid = pid_t()
    let result = posix_spawn(&pid, words[0], &actions, nil, arguments, environ)
    close(ends[1])
    process = pid
    output = ends[0]
    try #require(result == 0, "start \(words)")
  }

  deinit { close(output) }

  /// Up to the next line's end or the end of everything.
  func readLine() -> String {
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while read(output, &byte, 1) == 1, byte != UInt8(ascii: "\n") { line.append(byte) }
    return String(decoding: line, as: UTF8.self)
  }

  /// Everything until it closes its output.
  func readAll() -> String {
    var all: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while case let count = read(output, &chunk, chunk.count), count > 0 { all += chunk[..<count] }
    return String(decoding: all, as: UTF8.self)
  }

  /// Its exit status, or the signal that ended it.
  func wait() -> Int32 {
    var status: Int32 = 0
    waitpid(process, &status, 0)
    return status & 0x7F == 0 ? status >> 8 & 0xFF : status & 0x7F
  }
}
