import AvatarCore
import AvatarService
import Glibc

/// Standard output and standard error.
enum Console {
  /// Whether standard error is a terminal, so that progress can be drawn in place.
  static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  /// Writes all of a text; gives up where nobody reads any more.
  static func write(_ text: String, to descriptor: Int32 = STDOUT_FILENO) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let written = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if written < 0 {
        guard errno == EINTR else { return }
      } else {
        bytes = bytes.dropFirst(written)
      }
    }
  }

  /// Prints a command's result and gives its exit status.
  static func finish(_ result: CommandResult) -> Int32 {
    write(result.output)
    write(result.complaint, to: STDERR_FILENO)
    return result.exitStatus
  }

  /// One line on standard error, and 1.
  static func fail(_ error: AvatarError) -> Int32 {
    let reason = error.detail.isEmpty ? error.code.title : error.detail
    write("\(Product.name): \(reason)\n", to: STDERR_FILENO)
    return 1
  }
}

/// The process's environment.
enum Environment {
  /// All variables that are `NAME=value`.
  static var all: [String: String] {
    var variables: [String: String] = [:]
    var cursor = environ
    while let entry = cursor.pointee {
      let text = String(cString: entry)
      if let mark = text.firstIndex(of: "=") {
        variables[String(text[..<mark])] = String(text[text.index(after: mark)...])
      }
      cursor += 1
    }
    return variables
  }
}
