/// Which fields of a payload mean what: ordered key paths for each field, the first that leads to a text counts.
///
/// A path is names joined by dots; `.` is the payload itself. All paths but those of `places` start at the place that decides.
public struct PayloadKeys: Hashable, Sendable {
  /// The fields; raw values are the names in `payload.keys`.
  public enum Field: String, CaseIterable, Hashable, Sendable {
    /// Objects that may hold the others; the first with a text `type` decides alone.
    case places
    /// What the push is about; looked up in `chatTypes`.
    case type
    /// The conversation of a message between two people.
    case singleID
    /// The conversation of a group's message.
    case groupID
    /// The conversation of an event's message.
    case eventID
    /// Who wrote.
    case senderID
    /// Their name.
    case senderName
    /// Their picture's URL.
    case senderPicture
    /// The group's name.
    case groupName
    /// The group's picture's URL.
    case groupPicture
    /// The event's name.
    case eventName
    /// The event's picture's URL.
    case eventPicture
    /// The item that a thin push stands for.
    case itemID
    /// Whose item it is.
    case tenant
  }

  /// The paths of the forms in the wild.
  public static let seeds: [Field: [String]] = [
    .places: ["custom.a", "os_data.custom.a", "additionalData", "data", "body", "."],
    .type: ["type"],
    .singleID: ["id", "chat_id"],
    .groupID: ["group.id", "group_id"],
    .eventID: ["event.id", "event_id"],
    .senderID: ["sender.id", "sender_id"],
    .senderName: ["sender.name"],
    .senderPicture: ["sender.profile", "sender.image"],
    .groupName: ["group.title", "group.name"],
    .groupPicture: ["group.image"],
    .eventName: ["event.title", "event.name"],
    .eventPicture: ["event.image"],
    .itemID: ["item_id"],
    .tenant: ["tenant"],
  ]

  private let paths: [Field: [FieldPath]]

  /// The seeds; a field that is given replaces its own paths only.
  public init(_ given: [Field: [String]] = [:]) {
    paths = Self.seeds.merging(given) { _, given in given }.mapValues { $0.map(FieldPath.init) }
  }

  subscript(_ field: Field) -> [FieldPath] { paths[field] ?? [] }
}
