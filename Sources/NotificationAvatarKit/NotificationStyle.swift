/// How a picture is shown beside a message.
public enum NotificationStyle: Hashable, Sendable {
  /// As a Communication Notification: the picture in the sender's place. iOS 15 and later.
  case communication
  /// As a picture attached to the notification.
  case attachment

  /// What the system has.
  public static var best: NotificationStyle {
    #if canImport(Intents) && !os(macOS)
      if #available(iOS 15, *) { return .communication }
    #endif
    return .attachment
  }
}
