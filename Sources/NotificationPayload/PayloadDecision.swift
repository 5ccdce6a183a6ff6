/// What a push payload says, and what becomes of it.
public struct PayloadDecision: Hashable, Sendable {
  /// What the push is.
  public enum Kind: String, CaseIterable, Hashable, Sendable {
    /// A message between two people.
    case single
    /// A message in a group.
    case group
    /// A message in an event's chat.
    case event
    /// A post in a forum: its picture is a logo, shown whole.
    case forum
    /// No chat: to be delivered as it came.
    case other
  }
  /// Why a push is `other`.
  public enum Reason: String, CaseIterable, Hashable, Sendable {
    /// The payload is JSON, but no object.
    case notAnObject = "not_an_object"
    /// No place has a text `type`, and no other form fits.
    case noType = "no_type"
    /// The type is not one of a chat.
    case type
    /// Nobody's name is known: there is nothing to show beside a picture.
    case noName = "no_name"
  }

  /// What the push is.
  public internal(set) var kind = Kind.other
  /// Why it is `other`; nil for the rest.
  public internal(set) var reason: Reason?
  /// Whether it tells of a reaction to a message.
  public internal(set) var isReaction = false
  /// Whether it is shown as a group's: the group's name is known and so is a sender, beside the one who gets it.
  public internal(set) var groupStyle = false
  /// Messages of one conversation belong together; nil if nothing names it.
  public internal(set) var conversationID: String?
  /// Who wrote.
  public internal(set) var senderID: String?
  /// Their name, fit to be shown, at most 120 characters.
  public internal(set) var senderName: String?
  /// The group's, event's or forum's name, fit to be shown, at most 120 characters.
  public internal(set) var groupName: String?
  /// Pictures to try, best first, each URL once.
  public internal(set) var avatars: [AvatarCandidate] = []
  /// The text of the message.
  public internal(set) var message: String?
  /// The item that the push stands for, to be fetched by its receiver: `[A-Za-z0-9._~-]{1,128}`, not `.` or `..`.
  public internal(set) var itemID: String?
  /// Whose item it is; the same alphabet.
  public internal(set) var tenant: String?

  init() {}
}

/// One picture that may stand beside the message.
public struct AvatarCandidate: Hashable, Sendable {
  /// Whose picture it is.
  public enum Role: String, CaseIterable, Hashable, Sendable {
    /// The group's, or the forum's logo where it is one.
    case group
    /// The event's.
    case event
    /// The writer's.
    case sender
  }
  /// Whose picture it is.
  public let role: Role
  /// An absolute `http` or `https` URL of at most 2,048 bytes without credentials; in its path and query ASCII only.
  public let url: String
}
