import Foundation
import Intents
import NotificationPayload
import Testing
import UserNotifications

@testable import NotificationAvatarKit

/// A push as the system hands it over.
enum Push {
  static func request(
    _ userInfo: [AnyHashable: Any], title: String = "Title", body: String = "Body", thread: String = ""
  ) -> UNNotificationRequest {
    let content = UNMutableNotificationContent()
    content.title = title
    content.body = body
    content.threadIdentifier = thread
    content.userInfo = userInfo
    return UNNotificationRequest(identifier: UUID().uuidString, content: frozen(content))
  }

  static func frozen(_ content: UNMutableNotificationContent) -> UNNotificationContent {
    (content.copy() as? UNNotificationContent) ?? content
  }

  static func single(
    _ picture: String? = nil, id: String = "chat_1", more: [AnyHashable: Any] = [:]
  ) -> UNNotificationRequest {
    var sender: [String: Any] = ["id": "user_1", "name": "Mira Okafor"]
    sender["profile"] = picture
    return request(
      ["custom": ["a": ["type": "single_chat", "id": id, "sender": sender]]].merging(more) { _, new in new })
  }

  static func group(_ group: String?, _ sender: String?, id: String = "grp_1") -> UNNotificationRequest {
    var people: [String: Any] = ["id": "user_1", "name": "Mira Okafor"]
    people["profile"] = sender
    var rowers: [String: Any] = ["id": id, "title": "River Rowers"]
    rowers["image"] = group
    return request(["custom": ["a": ["type": "group_chat", "group": rowers, "sender": people]]])
  }
}

/// What a content handler got, and how often it was called.
final class Handler: Sendable {
  private struct State {
    var count = 0
    var content: UNNotificationContent?
    var waiting: CheckedContinuation<Void, Never>?
  }
  private let state = Locked(State())

  func call(_ content: UNNotificationContent) {
    let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
      state.count += 1
      state.content = content
      defer { state.waiting = nil }
      return state.waiting
    }
    waiting?.resume()
  }

  /// Until the first call. A handler that is never called is a lost notification, and a fault of the test that waits.
  func wait() async {
    await withCheckedContinuation { continuation in
      let isHere = state.withLock { state -> Bool in
        if state.count == 0 { state.waiting = continuation }
        return state.count > 0
      }
      if isHere { continuation.resume() }
      DispatchQueue.global().asyncAfter(deadline: .now() + 40) { [weak self] in
        self?.state.withLock { state -> CheckedContinuation<Void, Never>? in
          defer { state.waiting = nil }
          return state.waiting
        }?.resume()
      }
    }
    if count == 0 { Issue.record("nothing was delivered") }
  }

  var count: Int { state.withLock { $0.count } }
  var content: UNNotificationContent? { state.withLock { $0.content } }
  var intent: INSendMessageIntent? { content?.provider as? INSendMessageIntent }
}

/// Lines of a log.
final class Lines: Sendable {
  private let lines = Locked<[String]>([])
  var write: @Sendable (String) -> Void {
    { line in self.lines.withLock { $0.append(line) } }
  }
  var all: [String] { lines.withLock { $0 } }
}

extension NotificationEnrichment.Options {
  /// For tests: no cache, short limits, lines kept.
  static func test(deadline: TimeInterval = 10, cache: AvatarCache? = nil, log: Lines = Lines()) -> Self {
    var options = Self()
    options.downloader = AvatarDownloader(options: DownloaderTests.options(deadline: deadline), cache: cache)
    options.log = log.write
    return options
  }
}
