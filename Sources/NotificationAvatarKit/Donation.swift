#if canImport(Intents) && !os(macOS)
  import Dispatch
  import Foundation
  import Intents

  /// Donates an incoming message, and waits for that a moment at most.
  @available(iOS 15, *)
  enum Donation {
    /// Donates. `completion` runs once: with what the system answers, or after `limit` seconds with nothing. Late and repeated answers
    /// are without effect.
    static func donate(
      _ intent: INSendMessageIntent, limit: TimeInterval, completion: @escaping @Sendable (Outcome) -> Void
    ) {
      let pending = Locked<(@Sendable (Outcome) -> Void)?>(completion)
      let settle: @Sendable (Outcome) -> Void = { outcome in
        let completion = pending.withLock { pending -> (@Sendable (Outcome) -> Void)? in
          defer { pending = nil }
          return pending
        }
        completion?(outcome)
      }
      let interaction = INInteraction(intent: intent, response: nil)
      interaction.direction = .incoming
      DispatchQueue.global(qos: .userInitiated).asyncAfter(deadline: .now() + max(0, limit)) { settle(.silent) }
      interaction.donate { error in settle(error == nil ? .donated : .refused) }
    }

    /// What came of it. It never decides whether the avatar shows.
    enum Outcome: String, Sendable {
      case donated = "donated"
      case refused = "the donation was refused"
      case silent = "the donation was not answered in time"
    }
  }
#endif
