import Foundation
import Intents
import Testing
import UserNotifications

@testable import ExampleApp
@testable import NotificationAvatarKit

/// The real text of thin pushes, from a backend that does everything wrong.
struct ContentFetcherTests {
  static let good = #"{"description":"Are we still on for six?","screen":"chat","item_id":"i-9","other":1}"#

  static func credentials(_ port: UInt16, token: String? = "t0ken-secret", tenant: String? = "acme")
    -> SharedCredentials
  {
    SharedCredentials(baseURL: "http://127.0.0.1:\(port)/v2/", tenant: tenant, token: token)
  }

  static func fetch(
    _ credentials: SharedCredentials, item: String? = "i-9", tenant: String? = nil,
    limit: TimeInterval = 10
  ) async -> Result<NotificationContentFetcher.Text, NotificationContentFetcher.Fault> {
    var standard = NotificationContentFetcher.Options()
    standard.limit = limit
    let fetcher = NotificationContentFetcher(options: standard) { credentials }
    return await withCheckedContinuation { continuation in
      fetcher.fetch(itemID: item, tenant: tenant) { continuation.resume(returning: $0) }
    }
  }

  static func json(_ text: String) -> ScriptedOrigin.Act {
    .answer(type: "application/json; charset=utf-8", Array(text.utf8))
  }

  @Test func `the text comes from the item's path, asked for as the user`() async throws {
    let origin = try ScriptedOrigin { _ in [Self.json(Self.good)] }
    let text = try await Self.fetch(Self.credentials(origin.port)).get()
    #expect(text.body == "Are we still on for six?")
    #expect(text.userInfo == ["screen": "chat", "item_id": "i-9"])
    let head = try #require(origin.requests.first)
    #expect(head.hasPrefix("GET /v2/acme/api/items/i-9/notification HTTP/1.1\r\n"), "\(head)")
    #expect(head.contains("\r\nAuthorization: Bearer t0ken-secret\r\n"), "\(head)")
  }

  @Test func `the push's tenant goes before the suite's`() async throws {
    let origin = try ScriptedOrigin { _ in [Self.json(Self.good)] }
    _ = await Self.fetch(Self.credentials(origin.port), tenant: "other")
    #expect(origin.requests.first?.hasPrefix("GET /v2/other/api/items/i-9/notification ") == true)
  }

  static let early:
    [(
      name: String, item: String?, tenant: String?, credentials: SharedCredentials,
      fault: NotificationContentFetcher.Fault
    )] = [
      ("no item", nil, nil, credentials(9), .noItem),
      ("an item that climbs", "..", nil, credentials(9), .noItem),
      ("an item with a path", "a/b", nil, credentials(9), .noItem),
      ("an item with a query", "a?b", nil, credentials(9), .noItem),
      ("an encoded item", "a%2Fb", nil, credentials(9), .noItem),
      ("an item too long", String(repeating: "a", count: 129), nil, credentials(9), .noItem),
      ("no token", "i", nil, credentials(9, token: nil), .noToken),
      ("an empty token", "i", nil, credentials(9, token: ""), .noToken),
      ("a token that ends its line", "i", nil, credentials(9, token: "a\r\nX: y"), .noToken),
      ("no tenant", "i", nil, credentials(9, tenant: nil), .noTenant),
      ("a tenant that climbs", "i", nil, credentials(9, tenant: ".."), .noTenant),
      ("a push's tenant that climbs", "i", "../x", credentials(9), .noTenant),
      ("no base", "i", nil, SharedCredentials(baseURL: nil, tenant: "t", token: "t"), .noEndpoint),
      ("no URL", "i", nil, SharedCredentials(baseURL: "not a url", tenant: "t", token: "t"), .noEndpoint),
      (
        "plain http", "i", nil, SharedCredentials(baseURL: "http://api.example.com", tenant: "t", token: "t"),
        .noEndpoint
      ),
      ("ftp", "i", nil, SharedCredentials(baseURL: "ftp://api.example.com", tenant: "t", token: "t"), .noEndpoint),
      (
        "a base with a query", "i", nil, SharedCredentials(baseURL: "https://a.example/?x=", tenant: "t", token: "t"),
        .noEndpoint
      ),
      (
        "a base with a user", "i", nil, SharedCredentials(baseURL: "https://u@a.example", tenant: "t", token: "t"),
        .noEndpoint
      ),
    ]

  @Test(arguments: early.indices)
  func `what is missing or unsafe ends the fetch before it begins`(index: Int) async {
    let sample = Self.early[index]
    let result = await Self.fetch(sample.credentials, item: sample.item, tenant: sample.tenant)
    #expect(result == .failure(sample.fault), "\(sample.name)")
  }

  static let answers: [(name: String, acts: [ScriptedOrigin.Act], fault: NotificationContentFetcher.Fault)] = [
    ("401", [.answer(status: 401, type: "application/json", Array(good.utf8))], .download(.status(401))),
    ("404", [.answer(status: 404, [])], .download(.status(404))),
    ("hang", [.hang], .download(.timedOut)),
    (
      "drip", [.answer(type: "application/json", length: 90, []), .drip(Array(good.utf8), everyMilliseconds: 50)],
      .download(.timedOut)
    ),
    ("HTML", [.answer(type: "text/html", Array(good.utf8))], .download(.wrongType)),
    (
      "too large", [.answer(type: "application/json", length: .some(nil), [UInt8](repeating: 0x20, count: 65537))],
      .download(.tooLarge)
    ),
    (
      "redirect, which would take the token along", [DownloaderTests.redirect("http://localhost:9/x")],
      .download(.redirect)
    ),
    ("no JSON", [json("{")], .unreadable), ("an array", [json("[1]")], .unreadable),
    ("nothing of use", [json(#"{"other":"x"}"#)], .unreadable),
    ("blank", [json(#"{"description":"  ","screen":null}"#)], .unreadable),
    ("wrong types", [json(#"{"description":true,"screen":1.5,"item_id":["x"]}"#)], .unreadable),
  ]

  @Test(arguments: answers.indices)
  func `a bad answer is a fault with a name, within the limit`(index: Int) async throws {
    let sample = Self.answers[index]
    let origin = try ScriptedOrigin { _ in sample.acts }
    let start = Date()
    let limit: TimeInterval = sample.fault == .download(.timedOut) ? 1 : 10
    let result = await Self.fetch(Self.credentials(origin.port), limit: limit)
    #expect(result == .failure(sample.fault), "\(sample.name)")
    #expect(-start.timeIntervalSinceNow < limit + 4, "\(sample.name)")
    #expect(origin.requests.count == 1)
    await origin.idle()
  }

  @Test func `whole numbers are texts, truth values are not`() async throws {
    let origin = try ScriptedOrigin { _ in [Self.json(#"{"description":7,"screen":1,"item_id":true}"#)] }
    let text = try await Self.fetch(Self.credentials(origin.port)).get()
    #expect(text == NotificationContentFetcher.Text(body: "7", userInfo: ["screen": "1"]))
  }

  @Test(arguments: [
    ("items/{item_id}", "/v2/items/i-9"), ("/a/{item_id}/", "/v2/a/i-9"),
    ("{tenant}/{item_id}", "/v2/acme/i-9"), ("x{item_id}", nil), ("{item_id}?x=1", nil), ("../{item_id}", nil),
    ("a b/{item_id}", nil), ("items", nil), ("", nil), ("{other}/{item_id}", nil),
  ])
  func `a template is whole segments and nothing else`(template: String, path: String?) {
    let url = ItemEndpoint(template: template)?.url(base: "https://a.example/v2", tenant: "acme", itemID: "i-9")
    #expect(url?.path == path, "\(template)")
  }

  @Test(arguments: ["", ".", "..", "a/b", "a?b", "a%2Fb", "a b", "ä", String(repeating: "a", count: 129)])
  func `no part that is unsafe gets into a path, whoever asks`(part: String) throws {
    let endpoint = try #require(ItemEndpoint(template: "{tenant}/{item_id}"))
    #expect(endpoint.url(base: "https://a.example", tenant: part, itemID: "i") == nil, "\(part)")
    #expect(endpoint.url(base: "https://a.example", tenant: "t", itemID: part) == nil, "\(part)")
    #expect(endpoint.url(base: "https://a.example", tenant: nil, itemID: "i") == nil)
  }

  @Test func `the fetched text is shown, and is what the intent says`() async throws {
    let origin = try ScriptedOrigin { _ in [Self.json(Self.good)] }
    var options = NotificationEnrichment.Options.test()
    options.contentFetcher = NotificationContentFetcher { Self.credentials(origin.port) }
    let thin = Push.request(["custom": ["a": ["item_id": "i-9"]], "kept": "yes"])
    let handler = await EnrichmentTests.enrich(thin, options)
    #expect(handler.content?.body == "Are we still on for six?")
    #expect(handler.content?.title == "Title")
    #expect(handler.content?.userInfo["screen"] as? String == "chat")
    #expect(handler.content?.userInfo["item_id"] as? String == "i-9")
    #expect(handler.content?.userInfo["kept"] as? String == "yes")
    #expect(handler.content?.provider == nil)
    let chat: [AnyHashable: Any] = ["type": "single_chat", "id": "c", "item_id": "i-9", "sender": ["name": "Mira"]]
    let full = await EnrichmentTests.enrich(Push.request(["custom": ["a": chat]]), options)
    #expect(full.content?.body == "Are we still on for six?")
    #expect(full.intent?.content == "Are we still on for six?")
  }

  @Test func `whatever is missing, the thin push is delivered, and no line names the token`() async throws {
    let origin = try ScriptedOrigin { _ in [.answer(status: 500, [])] }
    let thin = Push.request(["custom": ["a": ["item_id": "i-9"]]])
    for credentials in [
      Self.credentials(origin.port), Self.credentials(origin.port, token: nil),
      Self.credentials(origin.port, tenant: nil), SharedCredentials(baseURL: nil, tenant: nil, token: nil),
    ] {
      let log = Lines()
      var options = NotificationEnrichment.Options.test(log: log)
      options.contentFetcher = NotificationContentFetcher { credentials }
      let handler = await EnrichmentTests.enrich(thin, options)
      #expect(handler.content === thin.content, "\(credentials)")
      #expect(log.all.count == 1, "\(log.all)")
      #expect(!log.all.contains { $0.contains("t0ken") }, "\(log.all)")
    }
  }

  @Test func `credentials never show their token`() {
    let credentials = Self.credentials(9)
    var dumped = ""
    dump(credentials, to: &dumped)
    for text in ["\(credentials)", String(reflecting: credentials), dumped] {
      #expect(!text.contains("t0ken"), "\(text)")
    }
  }

  @Test func `what the app saves is what the extension reads, until logout`() throws {
    let suite = "group.test.\(UUID().uuidString)"
    let storage = try #require(SharedStorage(suite: suite))
    defer { UserDefaults.standard.removePersistentDomain(forName: suite) }
    #expect(SharedCredentials(suite: suite) == SharedCredentials(baseURL: nil, tenant: nil, token: nil))
    #expect(storage.read() == nil)
    for token in ["first", "refreshed"] {
      let saved = SharedStorage.Credentials(baseURL: "https://a.example", tenant: "acme", token: token)
      storage.save(saved)
      #expect(storage.read() == saved)
      #expect(
        SharedCredentials(suite: suite) == SharedCredentials(baseURL: "https://a.example", tenant: "acme", token: token)
      )
    }
    storage.clear()
    #expect(SharedCredentials(suite: suite) == SharedCredentials(baseURL: nil, tenant: nil, token: nil))
    #expect(storage.read() == nil)
  }

  @Test func `the debug suite is another one`() {
    #expect(SharedSuite.name == "group.com.example.chat.debug")
  }
}
