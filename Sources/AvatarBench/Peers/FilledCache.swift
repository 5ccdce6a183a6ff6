public import AvatarCore

/// A cache directory that is full of avatars before a server opens it, for a comparison that another program runs.
public enum FilledCache {
  /// The hexadecimal signing key that the paths are signed with.
  public static var signingKey: String { SignedPaths.hexKey }

  /// Fills `directory` with `count` avatars, each an object of its own with the bytes of the JPEG `avatar`; gives their signed paths.
  public static func fill(_ directory: String, count: Int, avatar: [UInt8]) throws(AvatarError) -> [String] {
    guard avatar.starts(with: [0xFF, 0xD8]) else { throw AvatarError(.invalidRequest, "the avatar is no JPEG") }
    @Sendable func source(_ number: Int) -> String { "http://127.0.0.1:9/many/\(number).jpg" }
    try CacheFiller(directory: directory, avatar: avatar).fill(count, objects: count, source: source)
    let signed = SignedPaths()
    var paths: [String] = []
    for number in 0..<count { paths.append(try signed.path(source(number))) }
    return paths
  }
}
