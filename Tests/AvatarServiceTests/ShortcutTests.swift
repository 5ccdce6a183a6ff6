import AvatarCore
import AvatarCrypto
import AvatarNames
import Dispatch
import Synchronization
import Testing

@testable import AvatarService

/// Known targets that hold their avatar, so that a hit need not look for it. They never hold what the memory tier has not.
struct ShortcutTests {
  private static let url = "http://origin.test/a.png"

  /// What serves, and what a known target needs.
  private struct Scene {
    let stage: Stage
    let side: PublicSide
    let asker: Asker

    init(_ adjust: (inout AvatarResolver.Settings) -> Void = { _ in }, targetBytes: Int = 1 << 20) {
      stage = Stage(adjust: adjust)
      var settings = PublicSide.Settings(
        signer: URLSigner(keys: [], hashing: OpenSSLHashing()), allowsUnsigned: true, budget: .seconds(10),
        patience: .seconds(1), maximumSources: 4)
      settings.targetBytes = targetBytes
      side = PublicSide(
        settings, resolver: stage.resolver, naming: stage.naming, names: IDN2Names(),
        preparer: StagePreparer(clock: stage.clock), journal: RequestJournal(metrics: Metrics(), log: SilentLog()))
      asker = Asker(side: side)
    }

    static func target(_ url: String, _ query: String = "") throws -> String {
      let locator = AvatarLocator(sources: [try SourceURL(parsing: url, names: IDN2Names())], fit: .cover)
      return "/avatar/unsigned/\(locator.segment).jpg\(query)"
    }

    /// Has the avatar fetched, and asked for until its target holds it.
    func lead(_ target: String) async throws -> TargetLead {
      for _ in 0..<3 { #expect(await asker.get(target).status == 200) }
      return try #require(Array(target.utf8).withUnsafeBytes { side.recall($0) } as? TargetLead)
    }

    func source(_ url: String) throws -> AvatarSource { try stage.source(url, trusted: false) }
  }

  private func scene(_ adjust: (inout AvatarResolver.Settings) -> Void = { _ in }) -> Scene {
    let scene = Scene(adjust)
    scene.stage.origin.set(
      Self.url, .picture("one", headers: .cacheControl("max-age=600")),
      .picture("two", headers: .cacheControl("max-age=600")))
    return scene
  }

  @Test func `a target holds the avatar that it was answered with`() async throws {
    let scene = scene()
    let lead = try await scene.lead(try Scene.target(Self.url))
    #expect(try lead.avatar === scene.stage.resolver.memory.lookup(scene.source(Self.url).key))
    #expect(lead.avatar != nil && scene.stage.origin.asked.count == 1)
  }

  @Test(arguments: ["key", "object", "host", "everything", "soft", "removed", "refreshed"])
  func `what is out of the memory tier is held by nobody`(_ way: String) async throws {
    let scene = scene()
    let target = try Scene.target(Self.url)
    let lead = try await scene.lead(target)
    let (source, resolver) = (try scene.source(Self.url), scene.stage.resolver)
    weak let avatar = lead.avatar
    #expect(avatar != nil)
    switch way {
    case "key": _ = await scene.stage.store.purge(Purge(.keys([source.key])))
    case "object":
      let object = try #require(scene.stage.store.entries[source.key]).object
      _ = await scene.stage.store.purge(Purge(.object(object)))
    case "host": _ = await scene.stage.store.purge(Purge(.host("origin.test")))
    case "everything": _ = await scene.stage.store.purge(Purge(.everything))
    case "soft": _ = await scene.stage.store.purge(Purge(.keys([source.key]), soft: true))
    case "removed": await resolver.cache.remove(source.key)
    default: _ = await resolver.resolve(source, Terms(deadline: .after(.seconds(10)), refresh: true))
    }
    #expect(lead.avatar == nil)
    #expect(avatar == nil, "its memory is free")
    if way == "refreshed" {
      for _ in 0..<2 { #expect(await scene.asker.get(target).text == "jpeg cover two") }
      #expect(lead.avatar != nil, "the new one is held in turn")
    }
  }

  @Test func `an avatar that made room for others is free, however many targets led to it`() async throws {
    // Room for some eight avatars.
    let scene = scene { $0.memoryBytes = 8 * 2100 }
    let target = try Scene.target(Self.url)
    let leads = [try await scene.lead(target), try await scene.lead(target + "?v=0123456789abcdef")]
    weak let avatar = leads[0].avatar
    #expect(avatar != nil && leads[1].avatar == nil, "one holder at a time")
    for number in 0..<20 {
      let url = "http://origin.test/\(number).png"
      scene.stage.origin.set(url, .picture("\(number)", headers: .cacheControl("max-age=600")))
      _ = try await scene.lead(try Scene.target(url))
    }
    #expect(avatar == nil && leads.allSatisfy { $0.avatar == nil })
  }

  @Test func `what is reached by its target alone stays in the memory tier`() async throws {
    let scene = scene { $0.memoryBytes = 8 * 2100 }
    let target = try Scene.target(Self.url)
    let lead = try await scene.lead(target)
    for number in 0..<50 {
      let url = "http://origin.test/\(number).png"
      scene.stage.origin.set(url, .picture("\(number)", headers: .cacheControl("max-age=600")))
      #expect(await scene.asker.get(try Scene.target(url)).status == 200)
      #expect(await scene.asker.get(target).text == "jpeg cover one")
      #expect(lead.avatar != nil, "after \(number) others")
    }
    #expect(scene.stage.resolver.memory.statistics.evictions > 40)
  }

  @Test func `a target that was forgotten holds nothing, and another may`() async throws {
    let scene = scene()
    let target = try Scene.target(Self.url)
    let old = try await scene.lead(target)
    let avatar = try #require(old.avatar)
    scene.side.replaceSigner(URLSigner(keys: [Array(repeating: 8, count: 16)], hashing: OpenSSLHashing()))
    #expect(old.avatar == nil)
    avatar.offer(to: old, with: PreparedReply(status: 200))
    #expect(old.avatar == nil, "not even if it is offered late")
    let new = try await scene.lead(target)
    #expect(new !== old && new.avatar === avatar)
    avatar.leave()
    avatar.offer(to: new, with: PreparedReply(status: 200))
    #expect(new.avatar == nil, "nor what has left")
  }

  @Test func `targets that push each other out of the memo let their avatars go`() async throws {
    let scene = Scene(targetBytes: 4000)
    var leads: [TargetLead] = []
    for number in 0..<20 {
      let url = "http://origin.test/\(number).png"
      scene.stage.origin.set(url, .picture("\(number)", headers: .cacheControl("max-age=600")))
      leads.append(try await scene.lead(try Scene.target(url)))
    }
    #expect(leads.last?.avatar != nil)
    let holding = leads.count { $0.avatar != nil }
    #expect(holding >= 1 && holding <= 4, "\(holding) of 20")
  }

  /// Lets go when it is told to.
  private final class SlowHolder: AvatarHolding {
    let isAsked = DispatchSemaphore(value: 0)
    let mayLetGo = DispatchSemaphore(value: 0)
    private let letGo = Atomic<Bool>(false)

    var hasLetGo: Bool { letGo.load(ordering: .sequentiallyConsistent) }
    func take(_ avatar: HotAvatar, _ reply: PreparedReply) -> Bool { true }
    func release(_ avatar: HotAvatar) {
      isAsked.signal()
      mayLetGo.wait()
      letGo.store(true, ordering: .sequentiallyConsistent)
    }
  }

  /// Whoever purges an avatar that another thread is just evicting would otherwise be told that it is gone while its target still had it.
  @Test func `a purge is not over before who held the avatar has let it go, whoever else took it out`() async throws {
    let scene = scene()
    #expect(await scene.asker.get(try Scene.target(Self.url)).status == 200)
    let key = try scene.source(Self.url).key
    let memory = scene.stage.resolver.memory
    let avatar = try #require(memory.lookup(key))
    let holder = SlowHolder()
    avatar.offer(to: holder, with: PreparedReply(status: 200))
    // Threads of their own: they block.
    let first = try NamedThread("first") { memory.drop(key) }
    let hadLetGo = Mutex<Bool?>(nil)
    let second = try NamedThread("second") {
      holder.isAsked.wait()
      let told = DispatchSemaphore(value: 0)
      let third = try? NamedThread("third") {
        memory.drop(key)
        hadLetGo.withLock { $0 = holder.hasLetGo }
        told.signal()
      }
      // That it is not told yet has no event to wait for; if it were told, it would be by then.
      _ = told.wait(timeout: .now() + .milliseconds(50))
      holder.mayLetGo.signal()
      third?.join()
    }
    second.join()
    first.join()
    #expect(hadLetGo.withLock { $0 } == true)
  }

  @Test func `offers, departures and forgetting at once leave no avatar held that is gone`() async throws {
    for round in 0..<200 {
      let scene = scene()
      let target = try Scene.target(Self.url)
      let lead = try await scene.lead(target)
      let key = try scene.source(Self.url).key
      let memory = scene.stage.resolver.memory
      let avatar = try #require(lead.avatar)
      await withTaskGroup { group in
        group.addTask { for _ in 0..<50 { avatar.offer(to: lead, with: PreparedReply(status: 200)) } }
        group.addTask { for _ in 0..<50 { avatar.offer(to: lead, with: PreparedReply(status: 200)) } }
        group.addTask { for _ in 0..<50 { _ = lead.avatar } }
        group.addTask { if round % 2 == 0 { lead.end() } else { memory.drop(key) } }
      }
      if round % 2 == 0 { memory.drop(key) }
      avatar.offer(to: lead, with: PreparedReply(status: 200))
      #expect(lead.avatar == nil, "round \(round)")
    }
  }
}
