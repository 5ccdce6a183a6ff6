import AvatarCore

/// Unsigned avatar URLs, as a service without keys on loopback takes them.
enum PublicPath {
  /// The path for one source.
  static func unsigned(_ source: String) -> String {
    "/avatar/unsigned/\(Base64URL.encode(Array(source.utf8))).jpg"
  }
}
