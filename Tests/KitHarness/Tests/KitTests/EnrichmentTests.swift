import Foundation
import Intents
import NotificationPayload
import Testing
import UserNotifications

@testable import NotificationAvatarKit

/// A push's whole way, with the pictures on an origin.
struct EnrichmentTests {
  static let picture = Pictures.jpeg()
  static let other = Pictures.jpeg(filling: 77)

  static func enrich(
    _ request: UNNotificationRequest, _ options: NotificationEnrichment.Options = .test()
  ) async -> Handler {
    let handler = Handler()
    NotificationEnrichment(request, options: options) { handler.call($0) }.start()
    await handler.wait()
    return handler
  }

  static func origin() throws -> ScriptedOrigin {
    try ScriptedOrigin { target in
      switch target {
      case "/s.jpg": [.answer(picture)]
      case "/g.jpg": [.answer(other)]
      default: [.answer(status: 404, [])]
      }
    }
  }

  @Test func `a message of one person shows their face`() async throws {
    let origin = try Self.origin()
    var options = NotificationEnrichment.Options.test()
    options.processing.serviceName = "Example Chat"
    let handler = await Self.enrich(Push.single(origin.url("/s.jpg"), id: "chat_face"), options)
    let intent = try #require(handler.intent)
    #expect(intent.sender?.displayName == "Mira Okafor")
    #expect(intent.sender?.image?.bytes == Data(Self.picture))
    #expect(intent.sender?.isMe == false)
    #expect(intent.sender?.customIdentifier == "user_1")
    #expect(intent.sender?.personHandle?.value == "user_1")
    #expect(intent.recipients == nil)
    #expect(intent.speakableGroupName == nil)
    #expect(intent.donationMetadata == nil)
    #expect(intent.image(forParameterNamed: \.speakableGroupName) == nil)
    #expect(intent.conversationIdentifier == "chat_face")
    #expect(intent.serviceName == "Example Chat")
    #expect(intent.content == "Body")
    #expect(intent.outgoingMessageType == .outgoingMessageText)
    #expect(Donations.made("chat_face") == [.incoming])
    #expect(handler.content?.title == "Title")
    #expect(handler.content?.body == "Body")
    #expect(handler.content?.attachments.isEmpty == true)
  }

  @Test func `a group's message shows the group's picture, and two recipients or more`() async throws {
    let origin = try Self.origin()
    let handler = await Self.enrich(Push.group(origin.url("/g.jpg"), origin.url("/s.jpg"), id: "grp_both"))
    let intent = try #require(handler.intent)
    #expect(intent.speakableGroupName?.spokenPhrase == "River Rowers")
    #expect(intent.image(forParameterNamed: \.speakableGroupName)?.bytes == Data(Self.other))
    #expect(intent.sender?.displayName == "Mira Okafor")
    #expect(intent.sender?.image == nil)
    #expect(intent.recipients?.count == 2)
    #expect(intent.recipients?.map(\.isMe) == [true, false])
    #expect(Set(intent.recipients?.map { $0.personHandle?.value } ?? []).count == 2)
    let metadata = try #require(intent.donationMetadata as? INSendMessageIntentDonationMetadata)
    #expect(metadata.recipientCount == 2)
    #expect(intent.conversationIdentifier == "grp_both")
    #expect(Donations.made("grp_both") == [.incoming])
  }

  @Test func `a group whose picture is gone shows the sender's, then none`() async throws {
    let origin = try Self.origin()
    let log = Lines()
    let sender = await Self.enrich(Push.group(origin.url("/gone.jpg"), origin.url("/s.jpg")), .test(log: log))
    #expect(sender.intent?.image(forParameterNamed: \.speakableGroupName)?.bytes == Data(Self.picture))
    #expect(sender.intent?.sender?.image?.bytes == Data(Self.picture))
    #expect(log.all == ["no group avatar from 127.0.0.1: status 404"])
    let none = await Self.enrich(Push.group(origin.url("/gone.jpg"), origin.url("/gone2.jpg")))
    let intent = try #require(none.intent)
    #expect(intent.speakableGroupName?.spokenPhrase == "River Rowers")
    #expect(intent.image(forParameterNamed: \.speakableGroupName) == nil)
    #expect(intent.sender?.image == nil)
  }

  @Test(arguments: DownloaderTests.faults)
  func `with any fault the message arrives all the same`(fault: DownloaderTests.Fault) async throws {
    let origin = try ScriptedOrigin { _ in fault.acts }
    let log = Lines()
    let start = Date()
    let handler = await Self.enrich(Push.single(origin.url(fault.path)), .test(deadline: fault.deadline, log: log))
    #expect(-start.timeIntervalSinceNow < fault.deadline + 4, "\(fault.name)")
    #expect(handler.content?.body == "Body")
    #expect(handler.intent?.sender?.displayName == "Mira Okafor")
    #expect(handler.intent?.sender?.image == nil)
    #expect(log.all == ["no sender avatar from 127.0.0.1: \(fault.fault)"], "\(fault.name)")
    #expect(handler.count == 1)
    await origin.idle()
  }

  @Test func `every other push is delivered as it came, the very object`() async throws {
    for userInfo: [AnyHashable: Any] in [
      [:], ["aps": ["alert": "x"]], ["custom": ["a": ["type": "marketing", "image": "http://127.0.0.1:9/x.jpg"]]],
      ["custom": "no object"], ["type": 7],
    ] {
      let request = Push.request(userInfo)
      let handler = await Self.enrich(request)
      #expect(handler.content === request.content, "\(userInfo)")
      #expect(handler.count == 1)
    }
  }

  @Test func `ids of the app's own donations are used, and the thread's where there is none`() async throws {
    var options = NotificationEnrichment.Options.test()
    options.processing.conversationID = { $0.conversationID.map { "room:\($0)" } }
    #expect(await Self.enrich(Push.single(id: "7"), options).intent?.conversationIdentifier == "room:7")
    let unnamed: [AnyHashable: Any] = ["custom": ["a": ["type": "single_chat", "sender": ["name": "Mira"]]]]
    let thread = await Self.enrich(Push.request(unnamed, thread: "thread-9"))
    #expect(thread.intent?.conversationIdentifier == "thread-9")
    let none = await Self.enrich(Push.request(unnamed))
    #expect(none.intent != nil && none.intent?.conversationIdentifier == nil)
  }

  @Test func `content that the system will not update is delivered as it was`() async throws {
    let origin = try Self.origin()
    let log = Lines()
    let request = Push.single(origin.url("/s.jpg"), more: ["updating": "throws"])
    let handler = await Self.enrich(request, .test(log: log))
    #expect(handler.content === request.content)
    #expect(log.all.contains("avatar not shown: the system refused the content (UNErrorDomain 1401)"))
  }

  @Test(arguments: [
    [Donations.Answer(isRefused: true)], [], [Donations.Answer(), Donations.Answer()],
    [Donations.Answer(delay: 0.2)], [Donations.Answer(), Donations.Answer(isRefused: true)],
  ])
  func `the donation decides nothing`(answers: [Donations.Answer]) async throws {
    let id = UUID().uuidString
    Donations.script(id, answers)
    var options = NotificationEnrichment.Options.test()
    options.processing.donationLimit = 0.05
    let handler = await Self.enrich(Push.single(id: id), options)
    #expect(handler.intent?.sender?.displayName == "Mira Okafor")
    #expect(Donations.made(id) == [.incoming])
    #expect(handler.count == 1)
  }

  @Test func `a donation that is answered often completes once`() async throws {
    let id = UUID().uuidString
    Donations.script(id, [0, 0, 0.01, 0.02].map { Donations.Answer(delay: $0) })
    var options = CommunicationNotificationProcessor.Options()
    options.donationLimit = 0.01
    let content = Push.single(id: id).content
    let decision = NotificationEnrichment(Push.single(id: id), options: .test()) { _ in }.payload
    let handler = Handler()
    CommunicationNotificationProcessor(options: options) { _ in }
      .process(content, decision, picture: nil) { handler.call($0) }
    // Set after the last of the answers and for longer: when it fires, all have come.
    await withCheckedContinuation { continuation in
      DispatchQueue.global().asyncAfter(deadline: .now() + 0.3) { continuation.resume() }
    }
    #expect(handler.count == 1)
  }

  @Test func `on iOS 14 the picture is attached, before what is attached already`() async throws {
    let origin = try Self.origin()
    var options = NotificationEnrichment.Options.test()
    options.processing.style = .attachment
    let handler = await Self.enrich(Push.single(origin.url("/s.jpg"), id: "chat_14"), options)
    #expect(handler.content?.provider == nil)
    #expect(handler.content?.attachments.map(\.bytes) == [Data(Self.picture)])
    #expect(handler.content?.attachments.first?.url.pathExtension == "jpg")
    #expect(Donations.made("chat_14").isEmpty)
    let request = Push.single("http://127.0.0.1:9/x.jpg")
    #expect(await Self.enrich(request, options).content === request.content)
  }

  @Test func `a picture that is in the cache is shown with the origin gone`() async throws {
    let folder = try Folder()
    let cache = AvatarCache(directory: folder.url)
    let origin = try Self.origin()
    let url = origin.url("/o/\(Pictures.digest(Self.picture)).jpg")
    let address = try #require(AvatarAddress(url))
    cache.store(Data(Self.picture), for: address)
    origin.stop()
    let handler = await Self.enrich(Push.single(url), .test(cache: cache))
    #expect(handler.intent?.sender?.image?.bytes == Data(Self.picture))
  }

  @Test func `a picture is in the cache by the time it is delivered`() async throws {
    let folder = try Folder()
    let cache = AvatarCache(directory: folder.url)
    let origin = try Self.origin()
    let handler = await Self.enrich(Push.single(origin.url("/s.jpg")), .test(cache: cache))
    #expect(handler.intent?.sender?.image != nil)
    #expect(folder.names.count == 1)
    _ = await Self.enrich(Push.single(origin.url("/s.jpg")), .test(cache: cache))
    #expect(origin.requests.count == 1)
  }

  @Test func `no line of the log has a path, a query or a text in it`() async throws {
    let origin = try Self.origin()
    let log = Lines()
    _ = await Self.enrich(Push.single(origin.url("/secret-path.jpg?signature=secret")), .test(log: log))
    _ = await Self.enrich(Push.single(), .test(log: log))
    #expect(log.all == ["no sender avatar from 127.0.0.1: status 404", "no avatar: the push names none"])
  }
}
