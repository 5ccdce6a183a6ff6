public import Foundation

/// A stand-in for Apple's class.
public final class INImage: NSObject {
  /// For tests: the picture.
  public let bytes: Data
  /// As Apple's.
  public init(imageData: Data) { bytes = imageData }
}

/// A stand-in for Apple's class.
public final class INSpeakableString: NSObject {
  /// As Apple's.
  public let spokenPhrase: String
  /// As Apple's.
  public init(spokenPhrase: String) { self.spokenPhrase = spokenPhrase }
}

/// A stand-in for Apple's type.
public enum INPersonHandleType: Int {
  /// As Apple's.
  case unknown, emailAddress, phoneNumber
}

/// A stand-in for Apple's class.
public final class INPersonHandle: NSObject {
  /// As Apple's.
  public let value: String?
  /// As Apple's.
  public let type: INPersonHandleType
  /// As Apple's.
  public init(value: String?, type: INPersonHandleType) {
    self.value = value
    self.type = type
  }
}

/// A stand-in for Apple's class.
public final class INPerson: NSObject {
  /// As Apple's.
  public let personHandle: INPersonHandle?
  /// As Apple's.
  public let displayName: String
  /// As Apple's.
  public let image: INImage?
  /// As Apple's.
  public let customIdentifier: String?
  /// As Apple's.
  public let isMe: Bool
  /// As Apple's.
  public init(
    personHandle: INPersonHandle, nameComponents: PersonNameComponents?, displayName: String?, image: INImage?,
    contactIdentifier: String?, customIdentifier: String?, isMe: Bool
  ) {
    self.personHandle = personHandle
    self.displayName = displayName ?? ""
    self.image = image
    self.customIdentifier = customIdentifier
    self.isMe = isMe
  }
}
