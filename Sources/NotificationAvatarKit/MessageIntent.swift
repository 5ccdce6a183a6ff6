// On macOS a service extension is nobody's way to a chat's notification, and its Intents lack the picture of a parameter.
#if canImport(Intents) && !os(macOS)
  import Foundation
  import Intents
  import NotificationPayload

  /// Says in the system's terms who wrote what, and where: an incoming `INSendMessageIntent`.
  @available(iOS 15, *)
  enum MessageIntent {
    /// Fewest recipients of what the system takes for a group.
    static let groupRecipients = 2

    /// The intent of a chat. `conversationID` must be the one by which the app donates its outgoing messages.
    static func make(
      _ decision: PayloadDecision, message: String, picture: AvatarPicture?, conversationID: String?,
      serviceName: String?
    ) -> INSendMessageIntent {
      let image = picture.map { INImage(imageData: $0.jpeg) }
      // In a group the picture of the group is not the writer's face.
      let face = decision.groupStyle && picture?.candidate.role != .sender ? nil : image
      let group = decision.groupStyle ? decision.groupName : nil
      let recipients = group == nil ? nil : placeholders(conversationID)
      let intent = INSendMessageIntent(
        recipients: recipients, outgoingMessageType: .outgoingMessageText, content: message,
        speakableGroupName: group.map { INSpeakableString(spokenPhrase: $0) },
        conversationIdentifier: conversationID, serviceName: serviceName, sender: sender(decision, face),
        attachments: nil)
      if let recipients {
        let metadata = INSendMessageIntentDonationMetadata()
        metadata.recipientCount = recipients.count
        intent.donationMetadata = metadata
        if let image { intent.setImage(image, forParameterNamed: \.speakableGroupName) }
      }
      return intent
    }

    private static func sender(_ decision: PayloadDecision, _ image: INImage?) -> INPerson {
      let name = decision.senderName ?? decision.groupName
      return INPerson(
        personHandle: INPersonHandle(value: decision.senderID ?? name, type: .unknown), nameComponents: nil,
        displayName: name, image: image, contactIdentifier: nil, customIdentifier: decision.senderID, isMe: false)
    }

    /// Who gets it, as far as a push says so: its receiver, and somebody. Without a second recipient the system shows no group.
    private static func placeholders(_ conversationID: String?) -> [INPerson] {
      (0..<groupRecipients).map { index in
        let handle = INPersonHandle(value: "\(conversationID ?? "group")/recipient-\(index)", type: .unknown)
        return INPerson(
          personHandle: handle, nameComponents: nil, displayName: nil, image: nil, contactIdentifier: nil,
          customIdentifier: nil, isMe: index == 0)
      }
    }
  }
#endif
