public import Foundation
public import UserNotifications

/// A stand-in with the shape of OneSignal's class. It marks what it has seen, and answers at once, never, or only at expiry, as the push's
/// `onesignal` says.
public final class OneSignalExtension: NSObject {
  /// As OneSignal's: works on `content` in place, and calls the handler with it.
  @discardableResult
  public static func didReceiveNotificationExtensionRequest(
    _ request: UNNotificationRequest, with content: UNMutableNotificationContent?,
    withContentHandler contentHandler: ((UNNotificationContent) -> Void)?
  ) -> UNMutableNotificationContent? {
    content?.userInfo["seen"] = "by the SDK"
    if let content, content.userInfo["onesignal"] == nil { contentHandler?(content) }
    return content
  }

  /// As OneSignal's.
  @discardableResult
  public static func serviceExtensionTimeWillExpireRequest(
    _ request: UNNotificationRequest, with content: UNMutableNotificationContent?
  ) -> UNMutableNotificationContent? {
    content?.userInfo["expired"] = "by the SDK"
    return content
  }
}
