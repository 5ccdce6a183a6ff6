import NotificationAvatarKit
import OneSignalExtension
import UserNotifications

/// The service extension of an app that uses OneSignal: Apple allows one extension, so both work in it, one after the other.
final class NotificationService: UNNotificationServiceExtension {
  // One instance serves one notification.
  private var enrichment: NotificationEnrichment?
  private var request: UNNotificationRequest?
  private var content: UNMutableNotificationContent?

  override func didReceive(
    _ request: UNNotificationRequest, withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
  ) {
    var options = NotificationEnrichment.Options()
    options.processing.serviceName = "Example Chat"
    let enrichment = NotificationEnrichment(request, options: options, contentHandler: contentHandler)
    self.enrichment = enrichment
    self.request = request
    // The avatar downloads while OneSignal works, which may block this thread; what OneSignal made is then given its sender.
    enrichment.start { content, handler in
      self.content = content
      OneSignalExtension.didReceiveNotificationExtensionRequest(request, with: content, withContentHandler: handler)
    }
  }

  override func serviceExtensionTimeWillExpire() {
    enrichment?.expire {
      guard let request, let content else { return nil }
      OneSignalExtension.serviceExtensionTimeWillExpireRequest(request, with: content)
      return content
    }
  }
}
