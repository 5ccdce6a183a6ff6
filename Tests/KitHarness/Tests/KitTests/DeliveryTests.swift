import Foundation
import Intents
import Testing
import UserNotifications

@testable import ExampleOneSignal
@testable import ExamplePlain
@testable import NotificationAvatarKit

/// Who delivers, when, and what.
struct DeliveryTests {
  @Test func `the first delivery counts, with the best content so far`() {
    let handler = Handler()
    let thin = Push.single().content, better = Push.single(id: "better").content
    let delivery = ContentDelivery(thin: thin) { handler.call($0) }
    #expect(!delivery.isDelivered)
    delivery.improve(better)
    #expect(delivery.deliver())
    #expect(delivery.isDelivered)
    #expect(handler.content === better)
    delivery.improve(thin)
    #expect(!delivery.deliver())
    #expect(!delivery.deliver(thin))
    #expect(handler.count == 1)
    #expect(handler.content === better)
  }

  @Test func `a handler that delivers again is not called again`() {
    let handler = Handler()
    let box = Locked<ContentDelivery?>(nil)
    let delivery = ContentDelivery(thin: Push.single().content) { content in
      handler.call(content)
      box.withLock { $0 }?.deliver()
    }
    box.withLock { $0 = delivery }
    delivery.deliver()
    #expect(handler.count == 1)
  }

  @Test func `expiry with a download that hangs delivers the writer's name`() async throws {
    let origin = try ScriptedOrigin { _ in [.hang] }
    let handler = Handler(), log = Lines()
    let enrichment = NotificationEnrichment(
      Push.single(origin.url("/s.jpg")), options: .test(deadline: 60, log: log)
    ) { handler.call($0) }
    enrichment.start()
    enrichment.expire()
    #expect(handler.count == 1)
    #expect(log.all.contains("the system's time is up; without picture"), "\(log.all)")
    enrichment.expire()
    #expect(handler.count == 1)
    await origin.idle()
  }

  @Test func `what another SDK made is kept, and given its sender`() async throws {
    let origin = try EnrichmentTests.origin()
    let handler = Handler()
    NotificationEnrichment(Push.single(origin.url("/s.jpg")), options: .test()) { handler.call($0) }
      .start { content, done in
        content.userInfo["seen"] = "yes"
        content.body = "localized"
        done(content)
        // As little care as an SDK may take: it goes on with what it has handed over, and calls twice.
        content.body = "changed afterwards"
        done(content)
      }
    await handler.wait()
    #expect(handler.content?.userInfo["seen"] as? String == "yes")
    #expect(handler.content?.body == "localized")
    #expect(handler.intent?.content == "localized")
    #expect(handler.intent?.sender?.image?.bytes == Data(EnrichmentTests.picture))
    #expect(handler.count == 1)
  }

  @Test func `a push that is no chat goes through the SDK all the same`() async {
    let handler = Handler()
    NotificationEnrichment(Push.request(["custom": ["i": "x"]]), options: .test()) { handler.call($0) }
      .start { content, done in
        content.userInfo["seen"] = "yes"
        done(content)
      }
    await handler.wait()
    #expect(handler.content?.userInfo["seen"] as? String == "yes")
    #expect(handler.content?.provider == nil)
  }

  @Test func `the download goes on while an SDK blocks its thread, and expiry shows the picture`() async throws {
    let arrived = DispatchSemaphore(value: 0), unblocked = DispatchSemaphore(value: 0)
    let origin = try ScriptedOrigin { _ in [.answer(EnrichmentTests.picture)] }
    let folder = try Folder()
    let handler = Handler()
    let enrichment = NotificationEnrichment(
      Push.single(origin.url("/s.jpg")), options: .test(cache: AvatarCache(directory: folder.url))
    ) { handler.call($0) }
    Thread.detachNewThread {
      enrichment.start { content, done in
        arrived.signal()
        unblocked.wait()
        done(content)
      }
    }
    await Blocking.wait(arrived)
    // The picture is taken in once it is in the cache and the state says so.
    await Polling.until { enrichment.knowsPicture }
    enrichment.expire()
    #expect(handler.count == 1)
    #expect(handler.intent?.sender?.image?.bytes == Data(EnrichmentTests.picture))
    unblocked.signal()
  }

  @Test func `the SDK's expiry comes first, and what it returns is delivered`() async throws {
    let handler = Handler()
    let enrichment = NotificationEnrichment(Push.single(), options: .test()) { handler.call($0) }
    enrichment.start { content, _ in content.userInfo["half"] = "done" }
    enrichment.expire {
      #expect(handler.count == 0)
      let content = UNMutableNotificationContent()
      content.body = "from the SDK's expiry"
      return content
    }
    #expect(handler.count == 1)
    #expect(handler.content?.body == "from the SDK's expiry")
    #expect(handler.intent?.sender?.displayName == "Mira Okafor")
  }

  @Test func `an SDK that hangs in its expiry is not waited for`() async throws {
    let handler = Handler(), unblocked = DispatchSemaphore(value: 0)
    var options = NotificationEnrichment.Options.test()
    options.expiryLimit = 0.05
    let enrichment = NotificationEnrichment(Push.single(), options: options) { handler.call($0) }
    enrichment.start { _, _ in }
    Thread.detachNewThread {
      enrichment.expire {
        unblocked.wait()
        return nil
      }
    }
    await handler.wait()
    unblocked.signal()
    #expect(handler.count == 1)
  }

  @Test func `forty notifications at once are forty deliveries, each with its own face`() async throws {
    let origin = try ScriptedOrigin { target in
      [.answer(Pictures.jpeg(filling: 100 + (Int(target.dropFirst(2).dropLast(4)) ?? 0)))]
    }
    await withTaskGroup(of: Void.self) { group in
      for index in 0..<40 {
        group.addTask {
          let request = Push.single(origin.url("/n\(index).jpg"), id: "forty-\(index)")
          let handler = await EnrichmentTests.enrich(request, .test(deadline: 20))
          #expect(handler.count == 1)
          #expect(handler.intent?.conversationIdentifier == "forty-\(index)")
          #expect(handler.intent?.sender?.image?.bytes == Data(Pictures.jpeg(filling: 100 + index)), "\(index)")
        }
      }
    }
  }

  @Test func `the plain example delivers`() async throws {
    let handler = Handler()
    let service = ExamplePlain.NotificationService()
    service.didReceive(Push.single(id: "example")) { handler.call($0) }
    await handler.wait()
    service.serviceExtensionTimeWillExpire()
    #expect(handler.count == 1)
    #expect(handler.intent?.serviceName == "Example Chat")
  }

  @Test(arguments: [false, true])
  func `the OneSignal example delivers what the SDK made, in time or at expiry`(hangs: Bool) async throws {
    let handler = Handler()
    let service = ExampleOneSignal.NotificationService()
    service.didReceive(Push.single(more: hangs ? ["onesignal": "hangs"] : [:])) { handler.call($0) }
    if hangs { service.serviceExtensionTimeWillExpire() }
    await handler.wait()
    service.serviceExtensionTimeWillExpire()
    #expect(handler.count == 1)
    #expect(handler.content?.userInfo["seen"] as? String == "by the SDK")
    #expect((handler.content?.userInfo["expired"] as? String == "by the SDK") == hangs)
    #expect(handler.intent?.sender?.displayName == "Mira Okafor")
  }
}

/// Waits for what blocks, off the cooperative pool.
enum Blocking {
  static func wait(_ semaphore: DispatchSemaphore) async {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        semaphore.wait()
        continuation.resume()
      }
    }
  }
}

/// For what tells nobody when it happens; what does not happen is for the test's own expectations to find.
enum Polling {
  static func until(_ question: @escaping @Sendable () -> Bool) async {
    let end = Date(timeIntervalSinceNow: 40)
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        while !question(), Date() < end { Thread.sleep(forTimeInterval: 0.001) }
        continuation.resume()
      }
    }
  }
}
