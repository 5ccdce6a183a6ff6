import AvatarCore
import Glibc
import Synchronization

/// Small files and directories.
public enum Files {
  /// A file's text; nil if it cannot be read.
  public static func text(_ path: String) -> String? { bytes(path).map { String(decoding: $0, as: UTF8.self) } }

  /// A file's bytes; nil if it cannot be read.
  public static func bytes(_ path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(descriptor, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return nil }
      guard count > 0 else { return bytes }
      bytes += piece[..<count]
    }
  }

  /// Writes a file anew; false if that fails.
  public static func write(_ text: String, to path: String) -> Bool { write(Array(text.utf8), to: path) }

  /// Writes a file anew; false if that fails.
  public static func write(_ bytes: [UInt8], to path: String) -> Bool {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { return false }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      rest = rest.dropFirst(count)
    }
    return close(descriptor) == 0 && rest.isEmpty
  }

  /// The names in a directory without `.` and `..`; empty if it cannot be read.
  static func names(in path: String) -> [String] {
    guard let directory = opendir(path) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// Makes a directory in one that is there.
  static func makeDirectory(_ path: String) { mkdir(path, 0o755) }

  /// Removes a directory with all that is in it.
  static func removeTree(_ path: String) {
    for name in names(in: path) {
      let inner = "\(path)/\(name)"
      if unlink(inner) != 0 { removeTree(inner) }
    }
    rmdir(path)
  }

  /// Directories of `temporaryDirectory` that may be there still.
  private static let temporary = Mutex<Set<String>>([])

  /// Removes every directory of `temporaryDirectory` that is left: for the end of the benchmark by a signal.
  static func removeTemporaryDirectories() {
    for path in temporary.withLock({ $0 }) {
      // Programs that were killed a moment ago may still write.
      for _ in 0..<100 {
        removeTree(path)
        guard access(path, F_OK) == 0 else { break }
        Pause.milliseconds(5)
      }
    }
  }

  /// A new directory for one run; whoever has it removes it.
  static func temporaryDirectory() throws(AvatarError) -> String {
    let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(base)/avatar-bench-XXXXXX".utf8CString)
    guard template.withUnsafeMutableBufferPointer({ $0.baseAddress.flatMap { mkdtemp($0) } }) != nil else {
      throw AvatarError(.internalFault, "no directory can be made in \(base)")
    }
    let name = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    // Programs with another working directory are told of it.
    let whole = realpath(name, nil)
    defer { free(whole) }
    let path = whole.map { String(cString: $0) } ?? name
    temporary.withLock { _ = $0.insert(path) }
    return path
  }
}
