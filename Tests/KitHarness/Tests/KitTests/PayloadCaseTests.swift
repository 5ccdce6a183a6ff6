import Foundation
import Intents
import Testing
import UserNotifications

@testable import NotificationAvatarKit

/// Every payload case of the reader, on its way through the kit: what is read is what is shown.
struct PayloadCaseTests {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("NotificationPayloadTests/Cases")

  static var names: [String] {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return files.filter { $0.hasSuffix(".json") }.sorted()
  }

  @Test func `the cases are there`() { #expect(Self.names.count > 30) }

  @Test(arguments: names)
  func `a case becomes the right intent, or stays as it came`(name: String) throws {
    let file = try Data(contentsOf: Self.folder.appendingPathComponent(name))
    let object = try #require(try JSONSerialization.jsonObject(with: file) as? [String: Any])
    let expects = try #require(object["expects"] as? [String: Any])
    // Texts that are no payload at all never reach a phone.
    guard let payload = object["payload"] as? [String: Any] else { return }
    let request = Push.request(payload, title: "", body: "")
    let enrichment = NotificationEnrichment(request, options: .test()) { _ in }
    let content = CommunicationNotificationProcessor().updated(request.content, enrichment.payload, picture: nil)
    guard let intent = content.provider as? INSendMessageIntent else {
      #expect(expects["kind"] as? String == "other", "\(name)")
      #expect(content === request.content, "\(name)")
      return
    }
    let sender = expects["senderName"] as? String, group = expects["groupName"] as? String
    let isGroup = expects["groupStyle"] as? Bool ?? false
    #expect(intent.sender?.displayName == sender ?? group, "\(name)")
    #expect(intent.sender?.customIdentifier == expects["senderID"] as? String, "\(name)")
    #expect(intent.conversationIdentifier == expects["conversationID"] as? String, "\(name)")
    #expect(intent.speakableGroupName?.spokenPhrase == (isGroup ? group : nil), "\(name)")
    #expect(intent.recipients?.count == (isGroup ? 2 : nil), "\(name)")
  }
}
