import AvatarCore

/// Where everything in a cache directory lies. Other files in it are left alone and not counted.
///
///     objects/ab/abcdef….jpg   the JPEGs, by the SHA-256 of their bytes
///     incoming/TOKEN-N.jpg     what is being written, by the process that holds processes/TOKEN.lock
///     processes/TOKEN.lock     held for as long as a process lives
///     index.sqlite3            the entries; -wal and -shm beside it
///     index.lock               held while an index is opened, made or set aside
///     set-aside/               the last damaged index, for whoever wants to look
struct StorePaths: Hashable, Sendable {
  /// The cache directory.
  let directory: String

  var objects: String { directory + "/objects" }
  var incoming: String { directory + "/incoming" }
  var processes: String { directory + "/processes" }
  var setAside: String { directory + "/set-aside" }
  var index: String { directory + "/index.sqlite3" }
  var indexLock: String { directory + "/index.lock" }

  /// The folder of the objects whose hash begins with this byte.
  func shard(_ byte: UInt8) -> String { objects + "/" + Self.hex(byte) }
  /// The folder of an object.
  func shard(of hash: ContentHash) -> String { shard(UInt8(truncatingIfNeeded: hash.digest.words.0 >> 56)) }
  /// The file of an object.
  func object(_ hash: ContentHash) -> String {
    // Put together in one piece: every hit from disk needs it.
    let (directory, digits) = (directory.utf8, hash.digest.hex.utf8)
    return String(unsafeUninitializedCapacity: directory.count + 80) { path in
      var count = 0
      func add(_ text: some Collection<UInt8>) {
        for byte in text {
          path[count] = byte
          count += 1
        }
      }
      add(directory)
      add("/objects/".utf8)
      add(digits.prefix(2))
      path[count] = UInt8(ascii: "/")
      count += 1
      add(digits)
      add(".jpg".utf8)
      return count
    }
  }

  /// The hash that a file name in a shard's folder stands for; nil for a foreign file.
  func hash(named name: String, in shard: UInt8) -> ContentHash? {
    guard name.utf8.count == 68, name.hasSuffix(".jpg"), name.hasPrefix(Self.hex(shard)) else { return nil }
    return Digest256(hex: name.dropLast(4)).map(ContentHash.init)
  }

  private static func hex(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16)
    return byte < 16 ? "0" + digits : digits
  }
}
