extension Configuration.Payload {
  /// What a payload's `type` says about the message.
  public enum ChatType: String, CaseIterable, Sendable {
    /// A message of one person.
    case single
    /// A message in a group.
    case group
    /// A message in an event's chat.
    case event
    /// A reaction of one person.
    case singleReaction = "single-reaction"
    /// A reaction in a group.
    case groupReaction = "group-reaction"
    /// A reaction in an event's chat.
    case eventReaction = "event-reaction"
  }

  /// The fields of `payload.keys` with their default key paths. A path is names joined by dots; `.` is the root.
  /// `places` are where the other fields are looked for: the first place with a text `type` decides alone.
  public static let seeds: [String: [String]] = [
    "places": ["custom.a", "os_data.custom.a", "additionalData", "data", "body", "."],
    "type": ["type"],
    "singleID": ["id", "chat_id"],
    "groupID": ["group.id", "group_id"],
    "eventID": ["event.id", "event_id"],
    "senderID": ["sender.id", "sender_id"],
    "senderName": ["sender.name"],
    "senderPicture": ["sender.profile", "sender.image"],
    "groupName": ["group.title", "group.name"],
    "groupPicture": ["group.image"],
    "eventName": ["event.title", "event.name"],
    "eventPicture": ["event.image"],
    "itemID": ["item_id"],
    "tenant": ["tenant"],
  ]

  /// The default of `payload.chatTypes`.
  public static let seedTypes: [String: ChatType] = [
    "single_chat": .single, "single_chat_reaction": .singleReaction,
    "group_chat": .group, "group_chat_reaction": .groupReaction,
    "event_chat": .event, "event_chat_reaction": .eventReaction,
  ]
}
