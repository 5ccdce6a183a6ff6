/// How payloads are read: which fields mean what, and which types are chats.
public struct PayloadRules: Hashable, Sendable {
  /// The types of the forms in the wild.
  public static let seedTypes: [String: ChatType] = [
    "single_chat": .single, "single_chat_reaction": .singleReaction,
    "group_chat": .group, "group_chat_reaction": .groupReaction,
    "event_chat": .event, "event_chat_reaction": .eventReaction,
  ]

  let keys: PayloadKeys
  private let chatTypes: [String: ChatType]

  /// The seeds, or other names. `chatTypes` are exact names but for their case.
  public init(keys: PayloadKeys = PayloadKeys(), chatTypes: [String: ChatType] = Self.seedTypes) {
    self.keys = keys
    self.chatTypes = Dictionary(
      chatTypes.map { ($0.key.lowercased(), $0.value) }, uniquingKeysWith: { first, _ in first })
  }

  /// The chat that a `type` names; nil if it is none.
  func chatType(_ type: String) -> ChatType? { chatTypes[type.lowercased()] }
}
