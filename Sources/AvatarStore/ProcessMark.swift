import Glibc

/// The sign that this process lives: a lock file that the kernel lets go when the process ends, however it ends.
///
/// Names of temporary files begin with the token, so that every process can tell the leftovers of the dead from what the living are
/// writing. Process numbers would not do: containers that share a volume have each their own. `flock` works across them.
final class ProcessMark: Sendable {
  /// Sixteen hexadecimal digits, new for every mark.
  let token: String
  private let descriptor: Int32
  private let path: String

  /// Makes the file and locks it. The folder must be there.
  init(in paths: StorePaths) throws(StoreFault) {
    // A sweeper may take a new file for a dead one's in the instant before it is locked: then another token.
    for _ in 0..<8 {
      let token = Self.newToken()
      let path = Self.path(of: token, in: paths)
      let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o644)
      guard descriptor >= 0 else { throw .errno("make the process mark") }
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0, Self.isSame(descriptor, path) {
        self.token = token
        self.descriptor = descriptor
        self.path = path
        return
      }
      Glibc.close(descriptor)
    }
    throw StoreFault(.file(EAGAIN), "lock the process mark")
  }

  deinit {
    if Self.isSame(descriptor, path) { unlink(path) }
    Glibc.close(descriptor)
  }

  /// Whether the file is still there under its name; false once somebody removed the directory.
  var isInPlace: Bool { Self.isSame(descriptor, path) }

  /// The tokens of processes that are dead, each held until `bury` is called with it, which removes the mark.
  ///
  /// `bury` runs with the dead process's lock in hand, so that no two sweepers do the same work.
  static func sweep(_ paths: StorePaths, bury: (String) throws(StoreFault) -> Void) throws(StoreFault) {
    for name in try FileCalls.names(in: paths.processes) where name.hasSuffix(".lock") {
      let file = paths.processes + "/" + name
      let descriptor = open(file, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
      guard descriptor >= 0 else { continue }
      defer { Glibc.close(descriptor) }
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, isSame(descriptor, file) else { continue }
      try bury(String(name.dropLast(5)))
      unlink(file)
    }
  }

  /// The tokens that have a mark, dead or alive.
  static func tokens(_ paths: StorePaths) throws(StoreFault) -> Set<String> {
    Set(try FileCalls.names(in: paths.processes).filter { $0.hasSuffix(".lock") }.map { String($0.dropLast(5)) })
  }

  private static func path(of token: String, in paths: StorePaths) -> String { paths.processes + "/" + token + ".lock" }

  private static func newToken() -> String {
    let digits = String(UInt64.random(in: .min ... .max), radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  private static func isSame(_ descriptor: Int32, _ path: String) -> Bool {
    var held = stat()
    var named = stat()
    return fstat(descriptor, &held) == 0 && lstat(path, &named) == 0 && held.st_ino == named.st_ino
      && held.st_dev == named.st_dev
  }
}
