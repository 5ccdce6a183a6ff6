import NotificationPayload

/// The answer to `POST /v1/notifications` but for the payload, which is spliced in as text.
struct NotificationsAnswer: Encodable, Sendable {
  /// What the payload says. Every key is there; what is not known is null.
  struct Decision: Encodable, Sendable {
    private enum Key: CodingKey {
      case kind, isReaction, groupStyle, conversationID, senderID, senderName, groupName, message, itemID
    }
    let decision: PayloadDecision

    func encode(to encoder: any Encoder) throws {
      var fields = encoder.container(keyedBy: Key.self)
      try fields.encode(decision.kind.rawValue, forKey: .kind)
      try fields.encode(decision.isReaction, forKey: .isReaction)
      try fields.encode(decision.groupStyle, forKey: .groupStyle)
      try fields.encode(decision.conversationID, forKey: .conversationID)
      try fields.encode(decision.senderID, forKey: .senderID)
      try fields.encode(decision.senderName, forKey: .senderName)
      try fields.encode(decision.groupName, forKey: .groupName)
      try fields.encode(decision.message, forKey: .message)
      try fields.encode(decision.itemID, forKey: .itemID)
    }
  }

  /// A prefetched avatar and whose it is.
  struct Avatar: Encodable, Sendable {
    private enum Key: CodingKey { case role }
    let role: AvatarCandidate.Role
    let result: PrefetchResult

    func encode(to encoder: any Encoder) throws {
      try result.encode(to: encoder)
      var fields = encoder.container(keyedBy: Key.self)
      try fields.encode(role.rawValue, forKey: .role)
    }
  }

  /// How large the payload is that goes back.
  struct Sizes: Encodable, Sendable {
    var data: Int
    var payload: Int
    /// What a phone gets of it; only where that is less.
    var delivered: Int?
    var fits: Bool
    var warning: String?

    init(_ sizes: PayloadSizes) {
      data = sizes.data
      payload = sizes.payload
      delivered = sizes.delivered == sizes.payload ? nil : sizes.delivered
      fits = sizes.fits
      warning = sizes.isNearLimit ? "over \(PayloadSizes.warnedPayload) of \(PayloadSizes.maximumPayload) bytes" : nil
    }
  }

  var avatars: [Avatar]
  var decision: Decision
  var sizes: Sizes
}
