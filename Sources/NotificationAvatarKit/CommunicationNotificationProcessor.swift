#if canImport(UserNotifications)
  public import Foundation
  public import NotificationPayload
  public import UserNotifications

  #if canImport(Intents) && !os(macOS)
    import Intents
  #endif

  /// Makes a chat's push a Communication Notification.
  ///
  /// Whatever fails on the way, what comes out can be delivered: at worst it is what went in.
  public struct CommunicationNotificationProcessor: Sendable {
    /// How it is done.
    public struct Options: Sendable {
      /// The name of the app's messaging service; nil for none.
      public var serviceName: String?
      /// Seconds to wait for the donation.
      public var donationLimit: TimeInterval = 1
      /// What the system is able to show; another one only for tests or on purpose.
      public var style = NotificationStyle.best
      /// The conversation's id as the app gives it in its outgoing donations. By default the payload's own, unchanged: equal ids are what
      /// makes sent and received messages one conversation.
      public var conversationID: @Sendable (PayloadDecision) -> String? = { $0.conversationID }

      /// The defaults.
      public init() {}
    }

    /// How it is done.
    public let options: Options
    private let log: @Sendable (String) -> Void

    /// Works by these options; `log` gets a line where something did not work.
    public init(options: Options = Options(), log: @escaping @Sendable (String) -> Void = KitLog.system) {
      self.options = options
      self.log = log
    }

    /// The content with its writer and picture, made at once, without a donation. A push that is no chat comes back as it came.
    public func updated(
      _ content: UNNotificationContent, _ decision: PayloadDecision, picture: AvatarPicture?
    ) -> UNNotificationContent {
      guard decision.kind != .other else { return content }
      do {
        #if canImport(Intents) && !os(macOS)
          if options.style == .communication, #available(iOS 15, *) {
            return try content.updating(from: intent(content, decision, picture))
          }
        #endif
        return try picture.map { try PictureAttachment.attached($0, to: content) } ?? content
      } catch {
        log("avatar not shown: the system refused the content (\(Self.code(error)))")
        return content
      }
    }

    /// Donates the message as incoming, then makes the content. `completion` runs once, at most `donationLimit` later, on any thread;
    /// the donation decides nothing.
    public func process(
      _ content: UNNotificationContent, _ decision: PayloadDecision, picture: AvatarPicture?,
      completion: @escaping @Sendable (UNNotificationContent) -> Void
    ) {
      #if canImport(Intents) && !os(macOS)
        if decision.kind != .other, options.style == .communication, #available(iOS 15, *) {
          let held = HeldContent(content)
          Donation.donate(intent(content, decision, picture), limit: options.donationLimit) { outcome in
            if outcome != .donated { log("\(outcome.rawValue); the notification is shown all the same") }
            completion(updated(held.content, decision, picture: picture))
          }
          return
        }
      #endif
      completion(updated(content, decision, picture: picture))
    }

    #if canImport(Intents) && !os(macOS)
      @available(iOS 15, *)
      private func intent(
        _ content: UNNotificationContent, _ decision: PayloadDecision, _ picture: AvatarPicture?
      ) -> INSendMessageIntent {
        let thread = content.threadIdentifier
        return MessageIntent.make(
          decision, message: content.body, picture: picture,
          conversationID: options.conversationID(decision) ?? (thread.isEmpty ? nil : thread),
          serviceName: options.serviceName)
      }
    #endif

    private static func code(_ error: any Error) -> String {
      let error = error as NSError
      return "\(error.domain) \(error.code)"
    }
  }

  /// Takes a notification's content to another thread.
  ///
  /// `@unchecked Sendable`: the content is a copy that nobody changes any more, and the class itself is only read.
  struct HeldContent: @unchecked Sendable {
    let content: UNNotificationContent
    init(_ content: UNNotificationContent) { self.content = content }
  }
#endif
