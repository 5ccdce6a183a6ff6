import Foundation
import Testing

@testable import NotificationPayload

/// Payloads as they come, and what each must be read as.
struct PayloadCaseTests {
  @Test func `the cases are found`() { #expect(PayloadCase.names.count == 41) }

  @Test(arguments: PayloadCase.names)
  func `a payload's text is read by the rules`(name: String) throws {
    let sample = try PayloadCase.load(name)
    let payload = try #require(PushPayload(json: sample.text))
    try check(payload.decision, sample)
    if let bytes = sample.compactBytes { #expect(payload.sizes.payload == bytes) }
  }

  @Test(arguments: PayloadCase.names)
  func `a device reads what the service reads`(name: String) throws {
    let sample = try PayloadCase.load(name)
    guard let userInfo = try JSONSerialization.jsonObject(with: Data(sample.text)) as? [String: Any] else { return }
    try check(PushPayload(userInfo: userInfo).decision, sample)
  }

  @Test(arguments: PayloadCase.names)
  func `a rewritten payload says the same and differs in nothing else`(name: String) throws {
    let sample = try PayloadCase.load(name)
    let payload = try #require(PushPayload(json: sample.text))
    let unchanged = payload.rewritten { _ in .keep }
    if payload.decision.kind == .other || sample.text.text.contains("\"mutable-content\": 1") {
      #expect(unchanged == sample.text)
    }
    let rewritten = payload.rewritten { .replace("https://new.example/\($0.role.rawValue)?of=\($0.url.count)") }
    let again = try #require(PushPayload(json: rewritten))
    var expected = payload.decision
    expected.avatars = again.decision.avatars
    #expect(again.decision == expected)
    #expect(again.pictures.map(\.role) == payload.pictures.map(\.role))
    #expect(again.pictures.allSatisfy { $0.url.hasPrefix("https://new.example/\($0.role.rawValue)?of=") })
  }

  private func check(_ decision: PayloadDecision, _ sample: PayloadCase) throws {
    func text(_ key: String) -> String? { sample.expects[key] as? String }
    #expect(decision.kind.rawValue == text("kind"))
    #expect(decision.itemID == text("itemID"))
    if let reason = text("reason") { #expect(decision.reason?.rawValue == reason) }
    guard decision.kind != .other else {
      #expect(decision.avatars.isEmpty)
      return
    }
    #expect(decision.isReaction == sample.expects["isReaction"] as? Bool)
    #expect(decision.groupStyle == sample.expects["groupStyle"] as? Bool)
    #expect(decision.conversationID == text("conversationID"))
    #expect(decision.senderID == text("senderID"))
    #expect(decision.senderName == text("senderName"))
    #expect(decision.groupName == text("groupName"))
    #expect(decision.message == text("message"))
    let avatars = try #require(sample.expects["avatarCandidates"] as? [[String: String]])
    #expect(decision.avatars.map { ["role": $0.role.rawValue, "url": $0.url] } == avatars)
  }
}
