import Foundation
import FoundationNetworking
import Intents
import NotificationPayload
import Testing
import UserNotifications

@testable import NotificationAvatarKit

/// With the service itself: `AVATAR_SERVER` names its program, whose worker lies beside it.
@Suite(
  .enabled(if: AvatarService.program != nil, "AVATAR_SERVER names no program: run make test"), .serialized)
struct EndToEndTests {
  static func drawing(_ colour: String) -> ScriptedOrigin.Act {
    let svg =
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 9 9'><rect width='9' height='9' fill='\(colour)'/></svg>"
    return .answer(type: "image/svg+xml", headers: ["Cache-Control: max-age=600"], Array(svg.utf8))
  }

  static func origin() throws -> ScriptedOrigin {
    try ScriptedOrigin { target in
      switch target {
      case "/face.svg": [drawing("teal")]
      case "/group.svg": [drawing("tomato")]
      default: [.answer(status: 404, [])]
      }
    }
  }

  static func payload(group: String?, face: String) -> [String: Any] {
    var chat: [String: Any] = [
      "type": "single_chat", "id": "chat_8812", "sender": ["id": "user_31", "name": "Mira Okafor", "profile": face],
    ]
    if let group {
      chat["type"] = "group_chat"
      chat["group"] = ["id": "grp_5", "title": "River Rowers", "image": group]
    }
    let alert = ["title": "Mira Okafor", "body": "Are we still on for six?"]
    return ["aps": ["alert": alert], "custom": ["i": "0a4c7c5e", "a": chat]]
  }

  @Test
  func `prefetched, rewritten, read, downloaded, verified, shown; and without a picture once the service is gone`()
    async throws
  {
    let origin = try Self.origin()
    let service = try await AvatarService()
    let face = origin.url("/face.svg"), group = origin.url("/group.svg"), gone = origin.url("/gone.svg")
    let prefetched = try await service.settled(
      "/v1/prefetch", ["avatars": [["sources": [face]], ["sources": [group, face]]], "wait": "3s"])
    #expect(prefetched.map { $0["status"] as? String } == ["ready", "ready"], "\(prefetched)")

    for prefer in ["avatar", "object"] {
      for (name, image, isShownAs) in [("single", nil, face), ("group", group, group), ("group gone", gone, face)] {
        let order: [String: Any] = [
          "payload": Self.payload(group: image, face: face), "wait": "3s", "prefer": prefer,
        ]
        let answer = try await service.post("/v1/notifications", order)
        let payload = try #require(answer["payload"] as? [String: Any], "\(answer)")
        let aps = try #require(payload["aps"] as? [String: Any])
        #expect(aps["mutable-content"] as? Int == 1)
        let request = Push.request(payload, title: "Mira Okafor", body: "Are we still on for six?")
        let enrichment = NotificationEnrichment(request, options: .test()) { _ in }
        let first = try #require(enrichment.payload.avatars.first, "\(payload)")
        #expect(first.url.hasPrefix("http://127.0.0.1:\(service.port)/"), "\(first)")
        let content = try #require(AvatarAddress(first.url)?.content)
        #expect(content != .any, "\(name), \(prefer): \(first.url) does not name its content")

        let folder = try Folder()
        let handler = await EnrichmentTests.enrich(request, .test(cache: AvatarCache(directory: folder.url)))
        let intent = try #require(handler.intent, "\(name), \(prefer)")
        let isGroup = image != nil
        let shown = isGroup ? intent.image(forParameterNamed: \.speakableGroupName) : intent.sender?.image
        let bytes = try #require(shown?.bytes, "\(name), \(prefer)")
        #expect(content.admits(SHA256Digest(of: bytes), entityTag: nil))
        #expect(JPEGGlance.isReady(bytes, side: 256))
        let wanted = try await service.settled("/v1/prefetch", ["urls": [isShownAs], "wait": "3s"])
        #expect(wanted.first?["sha256"] as? String == SHA256Digest(of: bytes).hex, "\(name), \(prefer)")
        #expect(intent.conversationIdentifier == (isGroup ? "grp_5" : "chat_8812"))
        #expect(intent.sender?.displayName == "Mira Okafor")
        #expect(folder.names.count == 1, "kept for the next message")

        if name == "group", prefer == "object" {
          service.stop()
          let start = Date()
          let without = await EnrichmentTests.enrich(request, .test())
          #expect(-start.timeIntervalSinceNow < 10 + 4)
          #expect(without.content?.body == "Are we still on for six?")
          #expect(without.intent?.speakableGroupName?.spokenPhrase == "River Rowers")
          #expect(without.intent?.image(forParameterNamed: \.speakableGroupName) == nil)
          // What has been downloaded once needs no service.
          let kept = await EnrichmentTests.enrich(request, .test(cache: AvatarCache(directory: folder.url)))
          #expect(kept.intent?.image(forParameterNamed: \.speakableGroupName)?.bytes == bytes)
          return
        }
      }
    }
    Issue.record("the service was never stopped")
  }
}

/// The service under test, on free ports of loopback, with a cache of its own.
final class AvatarService: Sendable {
  static let program = ProcessInfo.processInfo.environment["AVATAR_SERVER"]

  let port: UInt16
  private let control: UInt16
  private let folder: Folder
  private let process: Locked<Process>

  init() async throws {
    let program = try #require(Self.program)
    port = try ScriptedOrigin.deadPort()
    control = try ScriptedOrigin.deadPort()
    folder = try Folder()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program).absoluteURL
    process.currentDirectoryURL = folder.url
    process.arguments = [
      "serve", "--listen", "127.0.0.1:\(port)", "--control-listen", "127.0.0.1:\(control)", "--cache-directory",
      folder.url.appendingPathComponent("cache").path, "--fetch-allow-addresses", "127.0.0.0/8",
    ]
    let kept = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("AVATAR_") }
    process.environment = kept.merging(["AVATAR_SIGNING_KEYS": "00112233445566778899aabbccddeeff"]) { _, new in new }
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    self.process = Locked(process)
    let end = Date(timeIntervalSinceNow: 60)
    while await (try? status("/readyz")) != 200 {
      guard process.isRunning, Date() < end else { throw POSIXError(.ETIMEDOUT) }
      await withCheckedContinuation { continuation in
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.05) { continuation.resume() }
      }
    }
  }

  deinit { stop() }

  /// Kills it.
  func stop() {
    process.withLock { process in
      guard process.isRunning else { return }
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
  }

  /// What the avatars of a prefetch have become, once none is pending.
  func settled(_ path: String, _ body: [String: Any]) async throws -> [[String: Any]] {
    for _ in 0..<10 {
      let avatars = try await post(path, body)["avatars"] as? [[String: Any]] ?? []
      if !avatars.contains(where: { $0["status"] as? String == "pending" }) { return avatars }
    }
    throw POSIXError(.ETIMEDOUT)
  }

  func post(_ path: String, _ body: [String: Any]) async throws -> [String: Any] {
    var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(control)\(path)")))
    request.httpMethod = "POST"
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.httpBody = try JSONSerialization.data(withJSONObject: body)
    let (bytes, _) = try await URLSession.shared.data(for: request)
    let answer = try JSONSerialization.jsonObject(with: bytes)
    return try #require(answer as? [String: Any], "\(String(decoding: bytes, as: UTF8.self))")
  }

  private func status(_ path: String) async throws -> Int {
    let url = try #require(URL(string: "http://127.0.0.1:\(control)\(path)"))
    let (_, response) = try await URLSession.shared.data(from: url)
    return (response as? HTTPURLResponse)?.statusCode ?? 0
  }
}
