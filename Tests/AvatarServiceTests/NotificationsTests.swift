import AvatarCore
import AvatarCrypto
import AvatarNames
import Foundation
import NotificationPayload
import Testing

@testable import AvatarService

/// `POST /v1/notifications`: a payload goes in, the same payload comes back with avatars that are ready.
struct NotificationsTests {
  static let group = "https://a.example/g", sender = "https://a.example/s", base = "https://avatars.example"

  /// A call's answer: its status, its whole text, and its JSON.
  struct Called {
    var status: Int
    var text: String
    var json: [String: Any]

    func member(_ name: String) -> [String: Any] { json[name] as? [String: Any] ?? [:] }
    var avatars: [[String: Any]] { json["avatars"] as? [[String: Any]] ?? [] }
    var code: String? { json["code"] as? String }
  }

  static func prefetcher(_ stage: Stage) -> Prefetcher {
    let signer = URLSigner(keys: [Array("0123456789abcdef".utf8)], hashing: OpenSSLHashing())
    return Prefetcher(
      chain: ChainResolver(stage.resolver, patience: .seconds(60)), resolver: stage.resolver, naming: stage.naming,
      names: IDN2Names(), links: AvatarLinks(base: base, signer: signer), settings: Prefetcher.Settings())
  }

  static func call(_ stage: Stage, _ body: String) async throws -> Called {
    let endpoint = NotificationsEndpoint(prefetcher: prefetcher(stage), payload: Configuration().payload)
    let reply = await endpoint.reply(Array(body.utf8), longest: .seconds(60))
    let json = try JSONSerialization.jsonObject(with: Data(reply.body.bytes)) as? [String: Any]
    return Called(
      status: reply.status, text: String(decoding: reply.body.bytes, as: UTF8.self), json: try #require(json))
  }

  /// A group's message; the sender's picture and the group's, each as JSON.
  static func payload(group: String = group, sender: String = sender) -> String {
    #"{ "aps":{"mutable-content":1,"alert":{"title":"T","body":"B"}},"n":1.50,"type":"group_chat","group":{"id":"g","name":"G","image":"\#(group)"},"sender":{"name":"A","profile":"\#(sender)"}}"#
  }

  static func locator(_ url: Any?) throws -> AvatarLocator {
    let url = try #require(url as? String)
    let segment = try #require(url.split(separator: "/").last?.split(separator: ".").first)
    return try AvatarLocator(decoding: segment, names: IDN2Names())
  }

  @Test func `a ready avatar's URL takes the place of its source's, and all else stays`() async throws {
    let stage = Stage()
    stage.origin.set(Self.group, .picture("g"))
    stage.origin.set(Self.sender, .picture("s"))
    let called = try await Self.call(stage, #"{"wait":"50s","payload": \#(Self.payload()) }"#)
    #expect(called.status == 200)
    let urls = try called.avatars.map { try #require($0["avatarURL"] as? String) }
    try #require(urls.count == 2)
    #expect(called.text.hasPrefix(#"{"payload":\#(Self.payload(group: urls[0], sender: urls[1])),"avatars":["#))
    #expect(urls.allSatisfy { $0.hasPrefix(Self.base) && $0.contains(".jpg?v=") })
    #expect(called.avatars.map { $0["role"] as? String } == ["group", "sender"])
    #expect(called.avatars.allSatisfy { $0["status"] as? String == "ready" })
    #expect(try Self.locator(urls[0]).sources.map(\.serialized) == [Self.group, Self.sender])
    #expect(try Self.locator(urls[1]).sources.map(\.serialized) == [Self.sender])

    let decision = called.member("decision")
    let expected: [String: NSObject] = [
      "kind": "group" as NSString, "isReaction": false as NSNumber, "groupStyle": true as NSNumber,
      "conversationID": "g" as NSString,
      "senderID": NSNull(), "senderName": "A" as NSString, "groupName": "G" as NSString, "message": "B" as NSString,
      "itemID": NSNull(),
    ]
    #expect(decision.count == expected.count)
    for (key, value) in expected { #expect(decision[key] as? NSObject == value, "\(key)") }
    let sizes = called.member("sizes")
    #expect(sizes["fits"] as? Bool == true)
    #expect(sizes["payload"] as? Int == Self.payload(group: urls[0], sender: urls[1]).utf8.count - 1)
    #expect(sizes["warning"] == nil)
  }

  @Test func `what is not ready in time is pending and comes behind`() async throws {
    let stage = Stage()
    stage.origin.set(Self.sender, .held(then: .picture("s")))
    let text = #"{"aps":{},"type":"single_chat","sender":{"name":"A","profile":"\#(Self.sender)"}}"#
    let called = try await Self.call(stage, #"{"payload":\#(text)}"#)
    #expect(called.status == 202)
    let url = try #require(called.avatars.first?["avatarURL"] as? String)
    #expect(called.avatars.first?["status"] as? String == "pending")
    #expect(!url.contains("?v="))
    #expect(
      called.text.hasPrefix(
        #"{"payload":{"aps":{"mutable-content":1},"type":"single_chat","sender":{"name":"A","profile":"\#(url)"}},"#))
    await stage.origin.arrival()
    stage.origin.release()
    #expect(try await Self.call(stage, #"{"payload":\#(text),"wait":"50s"}"#).status == 200)
    #expect(stage.origin.asked == [Self.sender])
  }

  @Test(arguments: ["object", "avatar"])
  func `objects go in where they are preferred`(preference: String) async throws {
    let stage = Stage()
    stage.origin.set(Self.group, .picture("g"))
    stage.origin.set(Self.sender, .failure(AvatarError(.originUnreachable)))
    let called = try await Self.call(stage, #"{"wait":"50s","prefer":"\#(preference)","payload":\#(Self.payload())}"#)
    let avatars = called.avatars
    try #require(avatars.count == 2)
    let groupURL = try #require(avatars[0][preference == "object" ? "objectURL" : "avatarURL"] as? String)
    #expect(groupURL.hasPrefix(Self.base + (preference == "object" ? "/o/" : "/avatar/")))
    let senderURL = try #require(avatars[1]["avatarURL"] as? String)
    #expect(
      called.text.hasPrefix(#"{"payload":\#(Self.payload(group: groupURL, sender: senderURL)),"#),
      "what may yet come stays")
  }

  static let gone = AvatarError(.originNotFound, originStatus: 404)

  @Test(arguments: [
    (StageOrigin.Act.failure(gone), StageOrigin.Act.failure(gone), false, false),
    (.failure(gone), .picture("s"), true, true),
    (.picture("g"), .failure(gone), true, false),
    (.failure(gone), .failure(AvatarError(.originUnreachable)), true, true),
    (.failure(AvatarError(.originTimedOut)), .failure(gone), true, false),
    (.picture("bad"), .failure(AvatarError(.addressNotAllowed)), false, false),
  ])
  func `a URL is taken out where its avatar failed for good`(
    group: StageOrigin.Act, sender: StageOrigin.Act, keepsGroup: Bool, keepsSender: Bool
  ) async throws {
    let stage = Stage()
    stage.origin.set(Self.group, group)
    stage.origin.set(Self.sender, sender)
    let called = try await Self.call(stage, #"{"wait":"50s","payload":\#(Self.payload())}"#)
    #expect(called.status == 200)
    let payload = called.member("payload")
    #expect(((payload["group"] as? [String: Any])?["image"] != nil) == keepsGroup)
    #expect(((payload["sender"] as? [String: Any])?["profile"] != nil) == keepsSender)
    #expect((payload["group"] as? [String: Any])?["name"] as? String == "G")
  }

  @Test func `a source that is refused fails its own avatar and leaves the chain`() async throws {
    let stage = Stage()
    stage.origin.set(Self.sender, .picture("s"))
    let called = try await Self.call(stage, #"{"wait":"50s","payload":\#(Self.payload(group: "http://127.1/g"))}"#)
    try #require(called.avatars.count == 2)
    #expect(try Self.locator(called.avatars[0]["avatarURL"]).sources.map(\.serialized) == [Self.sender])
    let alone = try await Self.call(
      stage,
      #"{"payload":{"aps":{"mutable-content":1},"type":"single_chat","sender":{"name":"A","profile":"http://127.1/"}}}"#
    )
    #expect(alone.status == 200)
    #expect(
      alone.text.hasPrefix(#"{"payload":{"aps":{"mutable-content":1},"type":"single_chat","sender":{"name":"A"}},"#))
    #expect((alone.avatars.first?["error"] as? [String: Any])?["code"] as? String == "invalid_source_url")
  }

  @Test func `equal URLs are one avatar`() async throws {
    let stage = Stage()
    stage.origin.set(Self.group, .picture("g"))
    let called = try await Self.call(
      stage, #"{"wait":"50s","payload":\#(Self.payload(group: Self.group, sender: Self.group))}"#)
    #expect(called.avatars.count == 1)
    let url = try #require(called.avatars.first?["avatarURL"] as? String)
    #expect(called.text.hasPrefix(#"{"payload":\#(Self.payload(group: url, sender: url)),"#))
    #expect(try Self.locator(url).sources.count == 1)
    #expect(stage.origin.asked == [Self.group])
  }

  @Test func `a forum's logo is shown whole`() async throws {
    let stage = Stage()
    stage.origin.set(Self.group, .picture("logo"))
    let called = try await Self.call(
      stage,
      #"{"wait":"50s","payload":{"title":"T","body":"B","imageUrl":"\#(Self.group)","senderName":"F","isGroup":true}}"#)
    #expect(called.member("decision")["kind"] as? String == "forum")
    #expect(try Self.locator(called.member("payload")["imageUrl"]).fit == .contain)
    #expect(called.member("payload")["mutableContent"] as? Bool == true)
  }

  @Test(arguments: [
    #"{ "custom" : {"a":{"type":"sale"}} , "x":1.0e0}"#, #"{"app_id":"1", "data":{"campaign":1}}"#,
    #"[ {"type":"single_chat"} ]"#, "null", "3.50", #""\u0061""#,
    #"{"aps":{},"type":"single_chat"}"#,
  ])
  func `what is no chat comes back byte for byte`(payload: String) async throws {
    let called = try await Self.call(Stage(), #"{ "prefer" : "object", "payload" :\#(payload) , "other":[] }"#)
    #expect(called.status == 200)
    #expect(called.text.hasPrefix(#"{"payload":\#(payload),"avatars":[],"decision":{"#), "\(called.text)")
    #expect(called.member("decision")["kind"] as? String == "other")
  }

  @Test func `a payload that is too large loses its URLs, never its text`() async throws {
    let stage = Stage()
    stage.origin.set(Self.sender, .picture("s"))
    let pad = String(repeating: "x", count: 5000)
    let called = try await Self.call(
      stage,
      #"{"wait":"50s","payload":{"aps":{"alert":"\#(pad)"},"type":"single_chat","sender":{"name":"A","profile":"\#(Self.sender)"}}}"#
    )
    #expect(
      called.text.hasPrefix(
        #"{"payload":{"aps":{"alert":"\#(pad)","mutable-content":1},"type":"single_chat","sender":{"name":"A"}},"#))
    #expect(called.member("sizes")["fits"] as? Bool == false)
    #expect(called.member("sizes")["warning"] is String)
  }

  @Test(arguments: [
    "", "{", "[]", "3", #"{"payload":}"#, #"{"payload":{broken}}"#, "{}", #"{"wait":"1s"}"#,
    #"{"payload":{},"wait":1}"#, #"{"payload":{},"wait":"1"}"#,
    #"{"payload":{},"wait":"61s"}"#, #"{"payload":{},"prefer":"cheap"}"#, #"{"payload":{},"prefer":true}"#,
    #"{"payload":{}} x"#,
  ])
  func `what is no order is refused`(body: String) async throws {
    let called = try await Self.call(Stage(), body)
    #expect(called.status == 400)
    #expect(called.code == "invalid_request")
  }

  @Test func `the configuration's seeds are the library's`() {
    let configuration = Configuration().payload
    #expect(PayloadRules(configuration) == PayloadRules())
    #expect(Set(configuration.keys.keys) == Set(PayloadKeys.Field.allCases.map(\.rawValue)))
    #expect(Configuration.Payload.ChatType.allCases.map(\.rawValue) == ChatType.allCases.map(\.rawValue))
    var other = configuration
    other.keys["type"] = ["kind"]
    #expect(PayloadRules(other) != PayloadRules())
    other = configuration
    other.chatTypes = ["dm": .single]
    #expect(PayloadRules(other) == PayloadRules(chatTypes: ["DM": .single]))
  }
}
