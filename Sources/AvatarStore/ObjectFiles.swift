import AvatarCore
import CFiles
import Glibc

/// The objects as files: written to a temporary name and renamed, verified against their names whenever they are read.
struct ObjectFiles: Sendable {
  /// No avatar is larger; whatever else bears an object's name is not read into memory.
  static let maximumBytes = 16 << 20

  let paths: StorePaths
  let hashing: any Hashing

  /// What is found at an object's name.
  enum Finding {
    case sound(FixedBytes)
    case missing
    case damaged
  }

  /// Reads an object and checks its SHA-256.
  func read(_ hash: ContentHash) throws(StoreFault) -> Finding {
    switch try FileCalls.read(paths.object(hash), maximumBytes: Self.maximumBytes) {
    case .missing: .missing
    case .unfit: .damaged
    case .bytes(let bytes): isSound(bytes, hash) ? .sound(bytes) : .damaged
    }
  }

  /// The same for an object of so many bytes by the index, which spares looking at the file first.
  func read(_ hash: ContentHash, bytes count: Int) throws(StoreFault) -> Finding {
    if (1...Self.maximumBytes).contains(count) {
      // One byte more would be one too many.
      let content = try FileCalls.readOnce(paths.object(hash), limit: count + 1)
      if case .bytes(let bytes) = content, isSound(bytes, hash) { return .sound(bytes) }
    }
    return try read(hash)
  }

  /// The same without waiting for the disk; nil where that does not do.
  func readCached(_ hash: ContentHash, bytes count: Int) -> FixedBytes? {
    let path = paths.object(hash)
    let bytes = FixedBytes(capacity: count + 1) { buffer in
      max(0, cfiles_read_cached(path, buffer.baseAddress, buffer.count))
    }
    return bytes.count == count && isSound(bytes, hash) ? bytes : nil
  }

  private func isSound(_ bytes: FixedBytes, _ hash: ContentHash) -> Bool {
    bytes.withUnsafeBytes { hashing.sha256($0.bindMemory(to: UInt8.self)) } == hash.digest
  }

  /// Puts an object in place, over whatever is there; returns the bytes that the file system allocated for it.
  func write(_ bytes: [UInt8], as hash: ContentHash, temporary: String) throws(StoreFault) -> Int {
    let status: FileCalls.Status
    do throws(StoreFault) {
      status = try FileCalls.write(bytes, to: temporary)
    } catch {
      guard error.cause == .file(ENOENT) || error.cause == .file(ENOTDIR) else { throw error }
      try ensureFolders()
      status = try FileCalls.write(bytes, to: temporary)
    }
    do throws(StoreFault) {
      try put(temporary, at: hash)
    } catch {
      unlink(temporary)
      throw error
    }
    return status.allocatedBytes
  }

  /// Removes an object, or whatever else has its name; a folder that holds something is moved aside rather than emptied.
  func remove(_ hash: ContentHash) throws(StoreFault) {
    let path = paths.object(hash)
    do throws(StoreFault) {
      try FileCalls.remove(path)
    } catch {
      guard error.cause == .file(ENOTEMPTY) || error.cause == .file(EEXIST) else { throw error }
      try moveAside(path)
    }
  }

  /// Whether an object could not be removed for a reason of its own, its folder being open to us.
  func isStuck(_ hash: ContentHash, _ fault: StoreFault) -> Bool {
    guard case .file(let number) = fault.cause, [EPERM, EACCES, EBUSY, ENOTDIR].contains(number) else { return false }
    return access(paths.shard(of: hash), W_OK | X_OK) == 0
  }

  /// Makes the folders that are missing.
  func ensureFolders() throws(StoreFault) {
    for folder in [paths.directory, paths.objects, paths.incoming, paths.processes] {
      try FileCalls.ensureFolder(folder) { path throws(StoreFault) in
        guard path != paths.directory else { throw StoreFault(.file(ENOTDIR), "make the cache directory") }
        try moveAside(path)
      }
    }
  }

  /// Moves a foreign thing that is in our way into `set-aside`, under a name of its own.
  func moveAside(_ path: String) throws(StoreFault) {
    try FileCalls.ensureFolder(paths.setAside) { _ throws(StoreFault) in
      throw StoreFault(.file(ENOTDIR), "make the set-aside folder")
    }
    let name = path.split(separator: "/").last.map(String.init) ?? "nameless"
    try FileCalls.move(path, to: "\(paths.setAside)/\(name)-\(String(UInt32.random(in: .min ... .max), radix: 16))")
  }

  private func put(_ temporary: String, at hash: ContentHash) throws(StoreFault) {
    let path = paths.object(hash)
    do throws(StoreFault) {
      return try FileCalls.move(temporary, to: path)
    } catch {
      switch error.cause {
      case .file(ENOENT), .file(ENOTDIR):
        try ensureFolders()
        try FileCalls.ensureFolder(paths.shard(of: hash)) { path throws(StoreFault) in try moveAside(path) }
      case .file(EISDIR), .file(ENOTEMPTY), .file(EEXIST): try remove(hash)
      default: throw error
      }
    }
    try FileCalls.move(temporary, to: path)
  }
}
