public import Foundation

/// A stand-in with the names and shapes of Apple's class, as far as the kit uses them. Not `Sendable`, as little as the original.
open class UNNotificationContent: NSObject, NSCopying, NSMutableCopying {
  /// The fields, one value for both classes.
  struct Fields {
    var title = ""
    var subtitle = ""
    var body = ""
    var threadIdentifier = ""
    var userInfo: [AnyHashable: Any] = [:]
    var attachments: [UNNotificationAttachment] = []
    var provider: (any UNNotificationContentProviding)?
  }
  var fields: Fields

  init(_ fields: Fields) {
    self.fields = fields
    super.init()
  }

  /// Empty content.
  public override convenience init() { self.init(Fields()) }

  /// As Apple's.
  public var title: String { fields.title }
  /// As Apple's.
  public var subtitle: String { fields.subtitle }
  /// As Apple's.
  public var body: String { fields.body }
  /// As Apple's.
  public var threadIdentifier: String { fields.threadIdentifier }
  /// As Apple's.
  public var userInfo: [AnyHashable: Any] { fields.userInfo }
  /// As Apple's.
  public var attachments: [UNNotificationAttachment] { fields.attachments }
  /// For tests: what the content was updated from.
  public var provider: (any UNNotificationContentProviding)? { fields.provider }

  /// An immutable copy.
  public func copy(with zone: NSZone? = nil) -> Any { UNNotificationContent(fields) }
  /// A mutable copy.
  public func mutableCopy(with zone: NSZone? = nil) -> Any { UNMutableNotificationContent(fields) }

  /// As Apple's; throws where a test says so by `updating: throws` in `userInfo`.
  public func updating(from provider: any UNNotificationContentProviding) throws -> UNNotificationContent {
    if fields.userInfo["updating"] as? String == "throws" {
      throw NSError(domain: "UNErrorDomain", code: 1401)
    }
    var updated = fields
    updated.provider = provider
    return UNNotificationContent(updated)
  }
}

/// As Apple's.
open class UNMutableNotificationContent: UNNotificationContent {
  /// As Apple's.
  public override var title: String {
    get { fields.title }
    set { fields.title = newValue }
  }
  /// As Apple's.
  public override var subtitle: String {
    get { fields.subtitle }
    set { fields.subtitle = newValue }
  }
  /// As Apple's.
  public override var body: String {
    get { fields.body }
    set { fields.body = newValue }
  }
  /// As Apple's.
  public override var threadIdentifier: String {
    get { fields.threadIdentifier }
    set { fields.threadIdentifier = newValue }
  }
  /// As Apple's.
  public override var userInfo: [AnyHashable: Any] {
    get { fields.userInfo }
    set { fields.userInfo = newValue }
  }
  /// As Apple's.
  public override var attachments: [UNNotificationAttachment] {
    get { fields.attachments }
    set { fields.attachments = newValue }
  }
}

/// As Apple's.
public protocol UNNotificationContentProviding: NSObjectProtocol {}
