/// The App Group that the app and its extension share. This file belongs to both targets, so that they cannot disagree.
enum SharedSuite {
  /// A debug build has a group of its own: it must not log a release build's user out, or read with their token.
  static var name: String {
    #if DEBUG
      "group.com.example.chat.debug"
    #else
      "group.com.example.chat"
    #endif
  }
}
