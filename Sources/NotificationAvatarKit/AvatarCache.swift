public import Foundation

/// Avatars on disk, one file each, in the extension's own Caches directory.
///
/// A file's name says for what it was stored and which SHA-256 its bytes have: there is no index to damage, and what is read is what
/// was written or counts as missing. Any number of instances, in any number of processes, may work on one directory.
public struct AvatarCache: Sendable {
  /// Where the files are.
  public let directory: URL
  /// Most files; the oldest go first.
  public let capacity: Int
  /// How many seconds an avatar whose URL does not name its content is used without asking again.
  public let lifetime: TimeInterval

  /// A cache in `directory`; without one, in the Caches directory of the process, which for an extension is its own.
  public init(directory: URL? = nil, capacity: Int = 64, lifetime: TimeInterval = 3600) {
    let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
    let root = caches ?? FileManager.default.temporaryDirectory
    self.directory = directory ?? root.appendingPathComponent("NotificationAvatarKit", isDirectory: true)
    self.capacity = max(1, capacity)
    self.lifetime = lifetime
  }

  /// Forgets all avatars; for the app's logout.
  public func removeAll() {
    for file in files() { remove(file.url) }
  }

  /// The avatar, if it is here, whole, and still good.
  func lookup(_ address: AvatarAddress) -> Data? {
    let fitting = files().filter { $0.matches(address) }
    for file in fitting.sorted(by: { $0.written > $1.written }) {
      if file.key != nil, !isYoung(file.written) { continue }
      guard let bytes = try? Data(contentsOf: file.url) else { continue }
      guard SHA256Digest(of: bytes).hex == file.digest else {
        remove(file.url)
        continue
      }
      if file.key == nil { touch(file.url) }
      return bytes
    }
    return nil
  }

  /// Keeps an avatar. A full or unwritable disk only costs the next download: there is nobody to tell.
  func store(_ jpeg: Data, for address: AvatarAddress) {
    let name = CachedFile.name(address, SHA256Digest(of: jpeg))
    do {
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
      try jpeg.write(to: directory.appendingPathComponent(name), options: .atomic)
    } catch {
      return
    }
    trim()
  }

  private func isYoung(_ written: Date) -> Bool {
    let age = -written.timeIntervalSinceNow
    return age > -lifetime && age < lifetime
  }

  /// Takes the oldest files out beyond the capacity, and what an interrupted write left behind an hour ago.
  private func trim() {
    let all = contents()
    let kept = all.compactMap(CachedFile.init)
    for file in kept.sorted(by: { $0.written > $1.written }).dropFirst(capacity) { remove(file.url) }
    for url in all where CachedFile(url) == nil && CachedFile.written(url).timeIntervalSinceNow < -3600 { remove(url) }
  }

  private func contents() -> [URL] {
    let keys: [URLResourceKey] = [.contentModificationDateKey]
    // A directory that is not there holds nothing.
    return (try? FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: keys)) ?? []
  }

  private func files() -> [CachedFile] { contents().compactMap(CachedFile.init) }

  /// Another instance may have been faster: then there is nothing to remove.
  private func remove(_ url: URL) { try? FileManager.default.removeItem(at: url) }

  /// Makes it the youngest. It may be gone by now, which costs a later download at most.
  private func touch(_ url: URL) {
    try? FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: url.path)
  }
}

/// A file of the cache, by its name: `h-{sha256}.jpg` for a URL that names its content, else `u-{sha256 of the URL}-{sha256}.jpg`.
private struct CachedFile {
  let url: URL
  let key: String?
  let digest: String
  let written: Date

  init?(_ url: URL) {
    let name = url.lastPathComponent
    guard name.hasSuffix(".jpg") else { return nil }
    let parts = name.dropLast(4).split(separator: "-").map(String.init)
    switch (parts.first, parts.count) {
    case ("h", 2): key = nil
    case ("u", 3): key = parts[1]
    default: return nil
    }
    guard let digest = parts.last, digest.utf8.count == 64 else { return nil }
    self.url = url
    self.digest = digest
    written = Self.written(url)
  }

  static func written(_ url: URL) -> Date {
    // What cannot be asked is the first to go.
    (try? url.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate) ?? .distantPast
  }

  static func name(_ address: AvatarAddress, _ digest: SHA256Digest) -> String {
    // A picture that was reduced, or that has changed since its `?v=`, is not the content that the URL names.
    if address.content != .any, address.content.admits(digest, entityTag: nil) { return "h-\(digest.hex).jpg" }
    return "u-\(key(address))-\(digest.hex).jpg"
  }

  func matches(_ address: AvatarAddress) -> Bool {
    guard let key else { return address.content.names(digest) }
    return key == Self.key(address)
  }

  private static func key(_ address: AvatarAddress) -> String {
    SHA256Digest(of: Data(address.url.absoluteString.utf8)).hex
  }
}

extension AvatarAddress.Content {
  fileprivate func names(_ hex: String) -> Bool {
    switch self {
    case .any: false
    case .version(let version): hex.hasPrefix(version)
    case .exact(let whole): hex == whole
    }
  }
}
