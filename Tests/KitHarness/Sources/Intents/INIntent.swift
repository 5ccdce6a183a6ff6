public import Foundation
public import UserNotifications

/// A stand-in for Apple's class.
open class INIntent: NSObject {
  fileprivate var images: [AnyKeyPath: INImage] = [:]
  /// As Apple's.
  public var donationMetadata: INIntentDonationMetadata?
}

extension NSObjectProtocol where Self: INIntent {
  /// As Apple's.
  public func setImage<Value>(_ image: INImage?, forParameterNamed parameter: KeyPath<Self, Value>) {
    images[parameter] = image
  }
  /// As Apple's.
  public func image<Value>(forParameterNamed parameter: KeyPath<Self, Value>) -> INImage? { images[parameter] }
}

/// A stand-in for Apple's class.
open class INIntentDonationMetadata: NSObject {}

/// A stand-in for Apple's class.
public final class INSendMessageIntentDonationMetadata: INIntentDonationMetadata {
  /// As Apple's.
  public var recipientCount = 0
  /// As Apple's.
  public override init() {}
}

/// A stand-in for Apple's type.
public enum INOutgoingMessageType: Int {
  /// As Apple's.
  case unknown, outgoingMessageText, outgoingMessageAudio
}

/// A stand-in for Apple's class.
public final class INSendMessageAttachment: NSObject {}

/// A stand-in for Apple's class.
public final class INSendMessageIntent: INIntent, UNNotificationContentProviding {
  /// As Apple's.
  public let recipients: [INPerson]?
  /// As Apple's.
  public let outgoingMessageType: INOutgoingMessageType
  /// As Apple's.
  public let content: String?
  /// As Apple's.
  public let speakableGroupName: INSpeakableString?
  /// As Apple's.
  public let conversationIdentifier: String?
  /// As Apple's.
  public let serviceName: String?
  /// As Apple's.
  public let sender: INPerson?

  /// As Apple's.
  public init(
    recipients: [INPerson]?, outgoingMessageType: INOutgoingMessageType, content: String?,
    speakableGroupName: INSpeakableString?, conversationIdentifier: String?, serviceName: String?, sender: INPerson?,
    attachments: [INSendMessageAttachment]?
  ) {
    self.recipients = recipients
    self.outgoingMessageType = outgoingMessageType
    self.content = content
    self.speakableGroupName = speakableGroupName
    self.conversationIdentifier = conversationIdentifier
    self.serviceName = serviceName
    self.sender = sender
  }
}
