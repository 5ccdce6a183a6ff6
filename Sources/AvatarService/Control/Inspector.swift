public import AvatarCore
import FoundationEssentials
import Synchronization

/// Every step for one avatar, as an operator wants to see it when 'the avatar does not show'. Touches no cache unless told to.
public struct Inspector: Sendable {
  private let resolver: AvatarResolver
  private let origin: any OriginFetching
  private let normalizer: any AvatarNormalizing
  private let naming: SourceNaming
  private let names: any InternationalNames
  private let limits: ImageLimits

  /// Looks through the same adapters as a request does.
  public init(
    resolver: AvatarResolver, parts: AvatarResolver.Parts, names: any InternationalNames, limits: ImageLimits
  ) {
    self.resolver = resolver
    self.names = names
    self.limits = limits
    origin = parts.origin
    normalizer = parts.normalizer
    naming = parts.naming
  }

  func reply(query: String, store: Bool) async -> HTTPReply {
    do throws(AvatarError) {
      let locator = try AvatarLocator(query: query, names: names)
      guard locator.sources.count == 1 else { throw AvatarError(.tooManySources, "inspect looks at one source") }
      return JSONReply.make(await inspect(locator.sources[0], fit: locator.fit, store: store))
    } catch {
      return Problem.reply(error)
    }
  }

  /// Looks at one source: reads, fetches, decodes, and says in one sentence what came of it. Never throws: a failure is what is looked for.
  public func inspect(_ url: SourceURL, fit: Fit, store: Bool) async -> Inspection {
    let source = naming.source(url, fit: fit, trusted: true)
    let steps = StepList()
    var report = Inspection(
      source: url.withoutQuery, key: source.key.description, fit: fit.rawValue,
      identityRule: naming.rule(for: url).map { $0.hosts.map(\.text).joined(separator: ", ") },
      answerNow: await presentAnswer(source))
    let started = ContinuousClock.now
    let begun = resolver.cache.store.epoch()
    do throws(AvatarError) {
      let response = try await origin.fetch(OriginRequest(url: url, trace: { steps.add($0) }))
      report.note(response, limits)
      let metadata = OriginMetadata(of: response)
      report.freshness = Inspection.FreshnessPart(
        metadata, resolver.cache.policy.assess(metadata, staleSince: nil, now: resolver.cache.clock.now),
        policy: resolver.cache.policy, cacheControl: response.values(of: "cache-control"))
      let avatar = try await normalizer.normalize(
        response.source, recipe: source.recipe, limits: limits, priority: .interactive, deadline: .after(.seconds(10)))
      report.image = Inspection.ImagePart(avatar, side: source.recipe.size, sourceBytes: response.source.count)
      report.header = Inspection.HeaderPart(avatar.facts, isDecodedWhole: report.header?.isDecodedWhole ?? false)
      let hash = resolver.cache.contentHash(of: avatar.jpeg)
      report.sha256 = hash.description
      report.avatar = "data:image/jpeg;base64," + Data(avatar.jpeg).base64EncodedString()
      report.summary =
        "The picture is fine: \(report.foundType ?? avatar.facts.format) of \(avatar.facts.width) × \(avatar.facts.height), \(avatar.jpeg.count) bytes as an avatar."
      if store {
        let held = await resolver.cache.load(source.key)
        let now = resolver.cache.clock.now
        let isSame = held?.entry.object == hash
        let entry = Entry(
          key: source.key, source: url.serialized, object: hash, objectBytes: avatar.jpeg.count, metadata: metadata,
          changedAt: held.map { isSame ? $0.entry.changedAt : max(now, $0.entry.changedAt) } ?? now)
        report.stored = await resolver.cache.keep(entry, jpeg: avatar.jpeg, isNew: !isSame, begun: begun).stored
        resolver.failures.forget(source.key, exactKey: source.exactKey)
      }
    } catch {
      report.code = error.code.rawValue
      report.originStatus = error.originStatus
      report.steps = steps.all
      report.elapsedMilliseconds = Double((ContinuousClock.now - started).milliseconds)
      report.summary = FailureSentence(error: error, url: url, report: report).text
      return report
    }
    report.steps = steps.all
    report.elapsedMilliseconds = Double((ContinuousClock.now - started).milliseconds)
    return report
  }

  /// What a GET would answer now, looked up as the resolver does.
  private func presentAnswer(_ source: AvatarSource) async -> String {
    let failure = resolver.failures.lookup(source, now: .now)
    var held = resolver.memory.lookup(source.key).map { ("memory", resolver.cache.freshness(of: $0)) }
    if held?.1.state != .fresh, let loaded = await resolver.cache.store.load(source.key) {
      let entry = loaded.entry
      let freshness = resolver.cache.policy.assess(
        entry.metadata, staleSince: entry.staleSince, now: resolver.cache.clock.now)
      if held.map({ $0.1.freshUntil < freshness.freshUntil }) ?? true { held = ("disk", freshness) }
    }
    let refusal = failure.map { failure in
      "\(failure.error.code.rawValue), remembered for another \(failure.remaining.wholeSeconds) s"
    }
    if let (place, freshness) = held {
      switch freshness.state {
      case .fresh: return "200 from \(place), fresh for another \(freshness.freshFor) s"
      case .staleWhileRevalidate where failure == nil:
        return "200 from \(place), stale, and refreshed behind the answer"
      case .staleWhileRevalidate, .staleIfError:
        if let refusal { return "200 from \(place), stale, because the last refresh failed: \(refusal)" }
        return "asks the origin first; should that fail, 200 from \(place), stale"
      case .expired: break  // As if it were not there.
      }
    }
    if let failure, let refusal { return "\(failure.error.code.status) \(refusal)" }
    if case .wait(let left, let code) = resolver.gate.outlook(source.url) {
      return "\(code.status) \(code.rawValue): the host is left alone for another \(left.wholeSeconds) s"
    }
    return "asks the origin"
  }
}

private final class StepList: Sendable {
  private let steps = Mutex<[FetchStep]>([])
  func add(_ step: FetchStep) { steps.withLock { if $0.count < 200 { $0.append(step) } } }
  var all: [Inspection.Step] { steps.withLock { $0 }.map { Inspection.Step($0) } }
}
