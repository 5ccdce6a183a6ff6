import Dispatch
public import Foundation

/// A stand-in for Apple's type.
public enum INInteractionDirection: Int {
  /// As Apple's.
  case unspecified, outgoing, incoming
}

/// A stand-in for Apple's class.
open class INIntentResponse: NSObject {}

/// A stand-in for Apple's class.
public final class INInteraction: NSObject {
  /// As Apple's.
  public let intent: INIntent
  /// As Apple's.
  public var direction = INInteractionDirection.unspecified
  /// As Apple's.
  public init(intent: INIntent, response: INIntentResponse?) { self.intent = intent }

  /// Answers as `Donations` says for the intent's conversation.
  public func donate(completion: (@Sendable ((any Error)?) -> Void)? = nil) {
    let conversation = (intent as? INSendMessageIntent)?.conversationIdentifier ?? ""
    let answers = Donations.note(conversation, direction)
    for answer in answers {
      DispatchQueue.global().asyncAfter(deadline: .now() + answer.delay) {
        completion?(answer.isRefused ? NSError(domain: "IntentsErrorDomain", code: 1901) : nil)
      }
    }
  }
}

/// For tests: how the system answers donations, by conversation, and which it got.
public enum Donations {
  /// One answer of the system.
  public struct Answer: Sendable {
    /// Seconds.
    public var delay: Double
    /// Whether it is an error.
    public var isRefused: Bool
    /// Says both.
    public init(delay: Double = 0, isRefused: Bool = false) {
      self.delay = delay
      self.isRefused = isRefused
    }
  }
  private static let lock = NSLock()
  // Under `lock`.
  nonisolated(unsafe) private static var scripts: [String: [Answer]] = [:]
  nonisolated(unsafe) private static var received: [String: [INInteractionDirection]] = [:]

  /// The answers to a conversation's donations; none at all for never. Without a script there is one good answer at once.
  public static func script(_ conversation: String, _ answers: [Answer]) {
    lock.withLock { scripts[conversation] = answers }
  }
  /// The directions of what was donated.
  public static func made(_ conversation: String) -> [INInteractionDirection] {
    lock.withLock { received[conversation] ?? [] }
  }
  static func note(_ conversation: String, _ direction: INInteractionDirection) -> [Answer] {
    lock.withLock {
      received[conversation, default: []].append(direction)
      return scripts[conversation] ?? [Answer()]
    }
  }
}
