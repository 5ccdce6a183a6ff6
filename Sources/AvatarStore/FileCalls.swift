import AvatarCore
import Glibc

/// The few file calls that the store needs, each with its fault by number. All of them block: for named threads only.
enum FileCalls {
  /// What a path holds, links not followed.
  struct Status: Hashable {
    var isRegular: Bool
    var isFolder: Bool
    var size: Int
    var allocatedBytes: Int
    var device: UInt
    var inode: UInt

    fileprivate init(_ status: stat) {
      isRegular = status.st_mode & S_IFMT == S_IFREG
      isFolder = status.st_mode & S_IFMT == S_IFDIR
      size = Int(status.st_size)
      // A file system that keeps small files inside its inodes reports no blocks: the length is the next best.
      allocatedBytes = status.st_blocks > 0 ? Int(status.st_blocks) * 512 : Int(status.st_size)
      device = UInt(status.st_dev)
      inode = UInt(status.st_ino)
    }
  }

  /// The status of a path, links not followed; nil if there is nothing.
  static func status(_ path: String) throws(StoreFault) -> Status? {
    var status = stat()
    if lstat(path, &status) == 0 { return Status(status) }
    if errno == ENOENT || errno == ENOTDIR { return nil }
    throw .errno("look at a file")
  }

  /// Makes a folder and those above it; a file in its place is moved away by `aside`.
  static func ensureFolder(_ path: String, aside: (String) throws(StoreFault) -> Void) throws(StoreFault) {
    if mkdir(path, 0o755) == 0 { return }
    switch errno {
    case EEXIST:
      var status = stat()
      // Followed on purpose: the operator may have put a link to another disk here.
      if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { return }
      try aside(path)
    case ENOENT:
      guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex else {
        throw StoreFault(.file(ENOENT), "make a folder")
      }
      try ensureFolder(String(path[..<slash])) { _ throws(StoreFault) in
        throw StoreFault(.file(ENOTDIR), "make a folder")
      }
    default: throw .errno("make a folder")
    }
    guard mkdir(path, 0o755) == 0 || errno == EEXIST else { throw .errno("make a folder") }
  }

  /// Writes a new file whole and returns its status; on any fault nothing is left behind.
  static func write(_ bytes: [UInt8], to path: String) throws(StoreFault) -> Status {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o644)
    guard descriptor >= 0 else { throw .errno("create a file") }
    do throws(StoreFault) {
      var status: Status?
      do throws(StoreFault) {
        status = try fill(descriptor, with: bytes)
      } catch {
        Glibc.close(descriptor)
        throw error
      }
      // No fsync: after a crash of the machine a torn object fails its checksum and is a miss. But close() may report a full disk.
      guard Glibc.close(descriptor) == 0 || errno == EINTR, let status else { throw .errno("close a file") }
      return status
    } catch {
      unlink(path)
      throw error
    }
  }

  private static func fill(_ descriptor: Int32, with bytes: [UInt8]) throws(StoreFault) -> Status {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        Glibc.write(descriptor, buffer.baseAddress.map { $0 + written }, buffer.count - written)
      }
      if count > 0 { written += count } else if errno != EINTR { throw .errno("write a file") }
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .errno("look at a file") }
    return Status(status)
  }

  /// Moves a file over another name in the same file system, in one step.
  static func move(_ path: String, to target: String) throws(StoreFault) {
    guard rename(path, target) == 0 else { throw .errno("rename a file") }
  }

  /// Removes a file or an empty folder; nothing there is no fault.
  static func remove(_ path: String) throws(StoreFault) {
    if unlink(path) == 0 || errno == ENOENT || errno == ENOTDIR { return }
    if errno == EISDIR || errno == EPERM {
      if rmdir(path) == 0 || errno == ENOENT { return }
    }
    throw .errno("remove a file")
  }

  /// Removes whatever is at `path`, folders with all they hold, never following a link.
  static func removeTree(_ path: String) throws(StoreFault) {
    guard let status = try status(path) else { return }
    if status.isFolder {
      for name in try names(in: path) { try removeTree(path + "/" + name) }
    }
    try remove(path)
  }

  /// The names in a folder, in no order; empty if there is none.
  static func names(in folder: String) throws(StoreFault) -> [String] {
    guard let stream = opendir(folder) else {
      if errno == ENOENT || errno == ENOTDIR { return [] }
      throw .errno("list a folder")
    }
    defer { closedir(stream) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = readdir(stream) else {
        if errno != 0 { throw .errno("list a folder") }
        return names
      }
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
  }

  /// What is at a path: `.unfit` where it is no file that can be read.
  enum Content {
    case bytes(FixedBytes)
    case missing
    case unfit
  }

  /// Reads a regular file of at most `maximumBytes` whole. Links, pipes, devices and folders are never opened for reading.
  static func read(_ path: UnsafePointer<CChar>, maximumBytes: Int) throws(StoreFault) -> Content {
    try withDescriptor(path) { descriptor throws(StoreFault) in
      var status = stat()
      guard fstat(descriptor, &status) == 0 else { throw .errno("look at a file") }
      guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= maximumBytes else { return .unfit }
      return try read(descriptor, size: Int(status.st_size))
    }
  }

  /// Reads whatever is at `path` at one go, at most `limit` bytes of it and perhaps fewer, for those who know what should be there.
  static func readOnce(_ path: UnsafePointer<CChar>, limit: Int) throws(StoreFault) -> Content {
    try withDescriptor(path) { descriptor throws(StoreFault) in try read(descriptor, size: limit, isOnce: true) }
  }

  private static func withDescriptor(
    _ path: UnsafePointer<CChar>, _ body: (Int32) throws(StoreFault) -> Content
  ) throws(StoreFault) -> Content {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else {
      switch errno {
      case ENOENT, ENOTDIR: return .missing
      case ELOOP, ENXIO, ENODEV, EISDIR: return .unfit
      case EACCES, EPERM:
        // The file's own fault only where its folder may be searched; else the disk as a whole is closed to us.
        let fault = StoreFault.errno("open a file")
        var status = stat()
        if lstat(path, &status) == 0 { return .unfit }
        throw fault
      default: throw .errno("open a file")
      }
    }
    defer { Glibc.close(descriptor) }
    return try body(descriptor)
  }

  private static func read(
    _ descriptor: Int32, size: Int, isOnce: Bool = false
  ) throws(StoreFault) -> Content {
    var fault: StoreFault?
    let bytes = FixedBytes(capacity: size) { buffer in
      var count = 0
      while count < size {
        let got = Glibc.read(descriptor, buffer.baseAddress.map { $0 + count }, size - count)
        if got > 0 {
          count += got
          if isOnce { break }
        } else if got == 0 {
          break  // Cut while it was read: the checksum says so.
        } else if errno != EINTR {
          fault = .errno("read a file")
          break
        }
      }
      return count
    }
    if let fault {
      switch fault.cause {
      case .file(EIO), .file(EBADMSG), .file(EISDIR), .file(EAGAIN): return .unfit
      default: throw fault
      }
    }
    return .bytes(bytes)
  }
}
