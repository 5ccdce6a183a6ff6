/// What a payload's `type` says about the message. Raw values are those of `payload.chatTypes`.
public enum ChatType: String, CaseIterable, Hashable, Sendable {
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

  /// Where the message stands.
  var kind: PayloadDecision.Kind {
    switch self {
    case .single, .singleReaction: .single
    case .group, .groupReaction: .group
    case .event, .eventReaction: .event
    }
  }
  /// Whether it is a reaction to a message.
  var isReaction: Bool { self == .singleReaction || self == .groupReaction || self == .eventReaction }
}
