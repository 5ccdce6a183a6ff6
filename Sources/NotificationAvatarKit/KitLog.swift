import Foundation

#if canImport(os)
  import os
#endif

/// Where the kit says why an avatar did not show. Lines name hosts, codes and numbers: never a path, a query, a text or a token.
public enum KitLog {
  /// The system's log, under the bundle's id and the category `avatar`: `log stream --predicate 'category == "avatar"'`.
  public static let system: @Sendable (String) -> Void = { line in
    #if canImport(os)
      Logger(subsystem: Bundle.main.bundleIdentifier ?? "NotificationAvatarKit", category: "avatar")
        .notice("\(line, privacy: .public)")
    #endif
  }
}
