public import Foundation

/// A stand-in for Apple's class.
open class UNNotificationRequest: NSObject {
  /// As Apple's.
  public let identifier: String
  /// As Apple's.
  public let content: UNNotificationContent
  /// For tests: the original is made by the system only for a service extension.
  public init(identifier: String, content: UNNotificationContent) {
    self.identifier = identifier
    self.content = content
  }
}

/// A stand-in for Apple's class.
open class UNNotificationServiceExtension: NSObject {
  /// As Apple's.
  public override init() {}
  /// As Apple's.
  open func didReceive(
    _ request: UNNotificationRequest, withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
  ) { contentHandler(request.content) }
  /// As Apple's.
  open func serviceExtensionTimeWillExpire() {}
}

/// A stand-in for Apple's class. Like the original it takes the file away.
open class UNNotificationAttachment: NSObject {
  /// As Apple's.
  public let identifier: String
  /// As Apple's.
  public let url: URL
  /// For tests: what the file held.
  public let bytes: Data
  /// As Apple's.
  public init(identifier: String, url: URL, options: [AnyHashable: Any]?) throws {
    self.identifier = identifier
    self.url = url
    guard ["jpg", "png", "gif"].contains(url.pathExtension) else { throw NSError(domain: "UNErrorDomain", code: 101) }
    bytes = try Data(contentsOf: url)
    try FileManager.default.removeItem(at: url)
  }
}
