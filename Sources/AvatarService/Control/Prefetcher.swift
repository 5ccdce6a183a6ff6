public import AvatarCore
import Synchronization

/// Has avatars made before anybody asks for them, and waits for them as long as it is told and no longer.
public final class Prefetcher: Sendable {
  /// The bounds and rules of prefetching.
  public struct Settings: Sendable {
    /// Avatars in one call.
    public var batch = 256
    /// Avatars under way at once over all calls, those that wait for their turn included; past it a call is shed.
    public var pending = 4096
    /// Avatars at work at once; one whose origin takes its time gives its place on.
    public var concurrency = 32
    /// How long an object that was handed out by its hash is kept from eviction.
    public var objectLifetime = Duration.seconds(24 * 3600)
    /// How long the work goes on behind at most.
    public var workLimit = Duration.seconds(30)
    /// Most sources of one avatar.
    public var maximumSources = AvatarLocator.maximumSources
    /// Side of an avatar.
    public var width = 256

    /// The contract's defaults.
    public init() {}
  }

  private let chain: ChainResolver
  private let resolver: AvatarResolver
  private let naming: SourceNaming
  let names: any InternationalNames
  private let links: AvatarLinks
  let settings: Settings
  private let underWay = Mutex(0)
  private let lanes: PrefetchLanes

  /// Resolves through `chain` and hands out `links`.
  public init(
    chain: ChainResolver, resolver: AvatarResolver, naming: SourceNaming, names: any InternationalNames,
    links: AvatarLinks, settings: Settings
  ) {
    self.chain = chain
    self.resolver = resolver
    self.naming = naming
    self.names = names
    self.links = links
    self.settings = settings
    lanes = PrefetchLanes(settings.concurrency)
  }

  /// The answer to a call: 200 when every avatar is settled, else 202.
  func reply(_ order: PrefetchOrder, longest: Duration) async -> HTTPReply {
    guard (1...settings.batch).contains(order.avatars.count) else {
      return Problem.reply(AvatarError(.invalidRequest, "1 to \(settings.batch) avatars"))
    }
    do throws(AvatarError) {
      let wait = try Self.wait(order.wait, longest: longest)
      let results = try await prefetch(order.avatars.map { locator($0) }, wait: wait, refresh: order.refresh)
      let isSettled = results.allSatisfy { $0.status != .pending }
      return JSONReply.make(PrefetchAnswer(avatars: results), status: isSettled ? 200 : 202)
    } catch {
      return Problem.reply(error)
    }
  }

  /// Has avatars made and waits for them; those that are not there after `wait` are `pending` and go on behind. In order.
  /// Throws `overloaded`.
  func prefetch(
    _ jobs: [Result<AvatarLocator, AvatarError>], wait: Duration, refresh: Bool
  ) async throws(AvatarError) -> [PrefetchResult] {
    guard enter(jobs.count) else { throw AvatarError(.overloaded, retryAfter: .seconds(1)) }
    return await run(jobs, wait: wait, refresh: refresh)
  }

  /// A call's `wait`; none is `0s`. Throws `invalid_request` for what is no duration to `longest`.
  static func wait(_ text: String?, longest: Duration) throws(AvatarError) -> Duration {
    guard let text else { return .zero }
    guard let wait = DurationText.parse(text), wait <= longest else {
      throw AvatarError(.invalidRequest, "wait is a duration to requestBudget")
    }
    return wait
  }

  private func locator(_ avatar: PrefetchOrder.Avatar) -> Result<AvatarLocator, AvatarError> {
    do throws(AvatarError) {
      guard let fit = Fit(rawValue: avatar.fit ?? Fit.cover.rawValue) else { throw AvatarError(.invalidRequest, "fit") }
      guard (1...settings.maximumSources).contains(avatar.sources.count) else { throw AvatarError(.tooManySources) }
      var sources: [SourceURL] = []
      for text in avatar.sources { sources.append(try SourceURL(parsing: text, names: names)) }
      return .success(AvatarLocator(sources: sources, fit: fit))
    } catch {
      return .failure(error)
    }
  }

  private func run(_ jobs: [Result<AvatarLocator, AvatarError>], wait: Duration, refresh: Bool) async
    -> [PrefetchResult]
  {
    let (events, feed) = AsyncStream.makeStream(of: (Int, PrefetchResult)?.self)
    let deadline = Deadline.after(wait)
    var results: [PrefetchResult] = []
    var open = 0
    for (index, job) in jobs.enumerated() {
      // A batch's hashes and look-ups take milliseconds in all: others have their turn in between.
      if index % 16 == 15 { await Task.yield() }
      switch job {
      case .failure(let error):
        results.append(.failed(error))
        leave()
      case .success(let locator):
        let sources = naming.sources(locator, trusted: true)
        if !refresh, let answer = chain.hit(sources) {
          results.append(result(answer, locator))
          leave()
          continue
        }
        results.append(PrefetchResult(status: .pending, avatarURL: links.avatar(locator)))
        open += 1
        // Outlives the call: what is not there in time is there for the phone.
        lanes.add(isAwaited: wait > .zero) { [self] in
          let terms = Terms(
            deadline: .after(settings.workLimit), priority: wait > .zero ? .interactive : .background,
            refresh: refresh)
          let answer = await chain.resolve(sources, terms)
          feed.yield((index, result(answer, locator)))
          leave()
        }
      }
    }
    guard open > 0, wait > .zero else { return results }
    let alarm = Task {
      do {
        try await Task.sleep(until: deadline.instant, clock: .continuous)
        feed.yield(nil)
      } catch {}  // Cancelled: everything is settled.
    }
    for await event in events {
      guard let (index, result) = event else { break }
      results[index] = result
      open -= 1
      if open == 0 { break }
    }
    alarm.cancel()
    feed.finish()
    return results
  }

  /// One avatar's part of the answer; an object that is handed out is kept from eviction for a while.
  func result(_ answer: Answer, _ locator: AvatarLocator) -> PrefetchResult {
    switch answer.outcome {
    case .failure(let error, let remembered):
      return .failed(error, avatarURL: links.avatar(locator), remembered: remembered)
    case .avatar(let avatar, let freshness):
      let hash = avatar.entry.object
      if avatar.isOnDisk {
        resolver.cache.store.pin(hash, until: resolver.cache.clock.now + settings.objectLifetime)
      }
      return PrefetchResult(
        status: .ready, avatarURL: links.avatar(locator, content: freshness.maySpread ? hash : nil),
        objectURL: avatar.isOnDisk ? links.object(hash) : nil, sha256: hash.description, bytes: avatar.jpeg.count,
        width: settings.width, source: answer.index ?? 0,
        cache: answer.origin != nil ? "miss" : freshness.state == .fresh ? "hit" : "stale",
        freshUntil: Timestamp.text(freshness.freshUntil))
    }
  }

  private func enter(_ count: Int) -> Bool {
    underWay.withLock { underWay in
      guard underWay + count <= settings.pending else { return false }
      underWay += count
      return true
    }
  }

  private func leave() { underWay.withLock { $0 -= 1 } }

  /// Avatars under way, for metrics.
  var pending: Int { underWay.withLock { $0 } }
}
