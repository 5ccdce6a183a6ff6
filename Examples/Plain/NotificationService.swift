import NotificationAvatarKit
import UserNotifications

/// The service extension of an app without another push SDK. The class is named by `NSExtensionPrincipalClass`.
final class NotificationService: UNNotificationServiceExtension {
  // One instance serves one notification.
  private var enrichment: NotificationEnrichment?

  override func didReceive(
    _ request: UNNotificationRequest, withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
  ) {
    var options = NotificationEnrichment.Options()
    options.processing.serviceName = "Example Chat"
    // Only for thin pushes, whose text the phone fetches as the logged-in user; else leave this out, and the App Group too.
    options.contentFetcher = NotificationContentFetcher { SharedCredentials(suite: SharedSuite.name) }
    let enrichment = NotificationEnrichment(request, options: options, contentHandler: contentHandler)
    self.enrichment = enrichment
    enrichment.start()
  }

  override func serviceExtensionTimeWillExpire() { enrichment?.expire() }
}
