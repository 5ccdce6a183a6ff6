import Foundation
import Intents
import Testing
import UserNotifications

@testable import NotificationAvatarKit

/// Everything that can finish, expire, repeat itself or stay away, at random moments on random threads: one delivery each time.
///
/// `KIT_SEED` repeats a run.
struct RaceTests {
  static let seed = ProcessInfo.processInfo.environment["KIT_SEED"].flatMap(UInt64.init) ?? 20_260_101

  /// What happens to one notification.
  struct Plan: Sendable, CustomStringConvertible {
    enum SDK: CaseIterable, Sendable { case none, atOnce, later, twice, never, blocks, atExpiry }
    enum Picture: CaseIterable, Sendable { case none, cached, broken, refused, hangs }
    var number: Int
    var sdk: SDK
    var sdkDelay: Double
    var picture: Picture
    var isGroup: Bool
    var throwsOnUpdate: Bool
    var donation: [Donations.Answer]
    var expiries: [Double]
    var description: String {
      "plan \(number): SDK \(sdk) after \(sdkDelay), picture \(picture), updating throws \(throwsOnUpdate), donation \(donation), expiries \(expiries)"
    }

    init(number: Int, seed: UInt64) {
      var random = SeededRandom(seed: seed &+ UInt64(number) &* 0x9E37)
      func moment() -> Double { Double.random(in: 0...0.006, using: &random) }
      self.number = number
      sdk = SDK.allCases.randomElement(using: &random) ?? .none
      sdkDelay = moment()
      picture = Picture.allCases.randomElement(using: &random) ?? .none
      isGroup = Bool.random(using: &random)
      throwsOnUpdate = Int.random(in: 0..<5, using: &random) == 0
      donation = (0..<Int.random(in: 0...3, using: &random)).map { _ in
        Donations.Answer(delay: moment() * 2, isRefused: Bool.random(using: &random))
      }
      expiries = (0..<Int.random(in: 1...3, using: &random)).map { _ in moment() }
    }
  }

  /// Runs a plan to its first delivery; late calls go on arriving at the handler.
  static func run(_ plan: Plan, cache: AvatarCache, cached: String, dead: String, hanging: String) async -> Handler {
    let id = "race-\(seed)-\(plan.number)-\(UUID().uuidString)"
    Donations.script(id, plan.donation)
    let url: String?
    switch plan.picture {
    case .none: url = nil
    case .cached: url = cached
    case .broken: url = "http://"
    case .refused: url = dead
    case .hangs: url = hanging
    }
    var options = NotificationEnrichment.Options.test(deadline: 0.004, cache: cache)
    options.processing.donationLimit = 0.004
    options.expiryLimit = 0.002
    let request = plan.isGroup ? Push.group(url, nil, id: id) : Push.single(url, id: id)
    let content = UNMutableNotificationContent()
    content.body = "Body"
    content.userInfo = request.content.userInfo
    if plan.throwsOnUpdate { content.userInfo["updating"] = "throws" }
    let handler = Handler()
    let enrichment = NotificationEnrichment(
      UNNotificationRequest(identifier: id, content: Push.frozen(content)), options: options
    ) { handler.call($0) }
    for moment in plan.expiries { after(moment) { enrichment.expire() } }
    let unblocked = Gate()
    if plan.sdk == .blocks { after(plan.sdkDelay) { unblocked.open() } }
    Thread.detachNewThread { start(enrichment, plan, unblocked) }
    await handler.wait()
    return handler
  }

  private static func after(_ seconds: Double, _ body: @escaping @Sendable () -> Void) {
    DispatchQueue.global().asyncAfter(deadline: .now() + seconds, execute: body)
  }

  private static func start(_ enrichment: NotificationEnrichment, _ plan: Plan, _ unblocked: Gate) {
    guard plan.sdk != .none else {
      enrichment.start()
      return
    }
    enrichment.start { content, done in
      let call = HandlerCall(content: content, done: done)
      switch plan.sdk {
      case .none, .never: break
      case .atOnce: call.now()
      case .later: after(plan.sdkDelay) { call.now() }
      case .twice:
        call.now()
        after(plan.sdkDelay) { call.now() }
      case .blocks:
        unblocked.wait()
        call.now()
      case .atExpiry: enrichment.expire { content }
      }
    }
  }

  @Test func `one delivery, whatever happens when`() async throws {
    let folder = try Folder()
    let cache = AvatarCache(directory: folder.url)
    let picture = Data(Pictures.jpeg(filling: 5))
    let cached = "http://127.0.0.1:9/o/\(SHA256Digest(of: picture).hex).jpg"
    cache.store(picture, for: try #require(AvatarAddress(cached)))
    let dead = "http://127.0.0.1:\(try ScriptedOrigin.deadPort())/x.jpg"
    let origin = try ScriptedOrigin { _ in [.hang] }
    let hanging = origin.url("/hang.jpg")
    let count = ProcessInfo.processInfo.environment["KIT_RACES"].flatMap(Int.init) ?? 4000
    print("races: seed \(Self.seed), \(count) plans, 40 at once")
    let next = Locked(0), finished = Locked<[(Plan, Handler)]>([])
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<40 {
        group.addTask {
          while true {
            let number = next.withLock { next -> Int in
              defer { next += 1 }
              return next
            }
            guard number < count else { return }
            let plan = Plan(number: number, seed: Self.seed)
            let handler = await Self.run(plan, cache: cache, cached: cached, dead: dead, hanging: hanging)
            finished.withLock { $0.append((plan, handler)) }
          }
        }
      }
    }
    // All that was set to happen later has happened once a timer set now, for longer than any of theirs, has fired.
    await withCheckedContinuation { continuation in
      DispatchQueue.global().asyncAfter(deadline: .now() + 0.5) { continuation.resume() }
    }
    await origin.idle()
    let all = finished.withLock { $0 }
    #expect(all.count == count)
    for (plan, handler) in all {
      #expect(handler.count == 1, "seed \(Self.seed), \(plan): \(handler.count) calls")
      #expect(handler.content?.body == "Body", "seed \(Self.seed), \(plan)")
      if plan.throwsOnUpdate { #expect(handler.intent == nil, "seed \(Self.seed), \(plan)") }
      if let image = handler.intent?.sender?.image { #expect(image.bytes == picture, "seed \(Self.seed), \(plan)") }
    }
    // A run in which all go the same way would prove little.
    #expect(all.contains { $0.1.intent != nil && $0.1.intent?.sender?.image != nil })
    #expect(all.contains { $0.1.intent == nil })
  }
}

/// Opens once.
final class Gate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  func open() { semaphore.signal() }
  func wait() { semaphore.wait() }
}

/// An SDK's call of the handler that it was given, from any thread.
///
/// `@unchecked Sendable`: as careless as the SDKs are; that is what is tested.
struct HandlerCall: @unchecked Sendable {
  let content: UNMutableNotificationContent
  let done: (UNNotificationContent) -> Void
  func now() { done(content) }
}
