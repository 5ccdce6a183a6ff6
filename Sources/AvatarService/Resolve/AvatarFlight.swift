import AvatarCore

/// The work behind a miss or a refresh, done once however many wait: look up again, ask the origin, normalize, store.
///
/// A flight outlives whoever began it; its bounds are the fetcher's and the workers' own.
struct AvatarFlight: Sendable {
  let cache: AvatarCache
  let origin: any OriginFetching
  let normalizer: any AvatarNormalizing
  let gate: OriginGate
  let failures: FailureMemory
  let book: IdentityBook
  let naming: SourceNaming
  let limits: ImageLimits
  let workLimit: Duration
  let figures: FlightFigures

  /// Flies for `source`, and counts it. `force` asks the origin even about what is fresh; `look` is what was found before.
  func fly(
    _ source: AvatarSource, priority: WorkPriority, force: Bool, after look: AvatarCache.Look? = nil
  ) async -> Landing {
    let landing = await journey(source, priority: priority, force: force, after: look)
    figures.note(landing, source.url, now: cache.clock.now)
    return landing
  }

  private func journey(
    _ source: AvatarSource, priority: WorkPriority, force: Bool, after before: AvatarCache.Look?
  ) async -> Landing {
    let look: AvatarCache.Look
    if let before, cache.isCurrent(before, source.key) { look = before } else { look = await cache.look(source.key) }
    let (held, begun) = (look.avatar, look.epoch)
    if !force, let held, cache.freshness(of: held).state == .fresh {
      return Landing(result: .success(held), exactKey: source.exactKey, stored: held.isOnDisk)
    }
    let url = urlToFetch(for: source, held: held)
    let exactKey = url == source.url ? source.exactKey : naming.source(url, fit: source.recipe.fit, trusted: false).key
    let started = ContinuousClock.now
    do {
      try gate.admit(url)
    } catch {
      // The host's own memory holds this; nothing is remembered for the avatar.
      return Landing(
        result: .failure(error), rememberedUntil: error.retryAfter.map { started + $0 }, exactKey: exactKey,
        origin: nil)
    }
    var part = OriginPart(fetched: .zero)
    do {
      let response = try await ask(url, held?.entry.metadata.validators, part: &part)
      let landed = try await land(
        response, url: url, source: source, held: held, begun: begun, priority: priority, part: &part)
      failures.forget(source.key, exactKey: exactKey)
      return Landing(result: .success(landed.avatar), exactKey: exactKey, origin: part, stored: landed.stored)
    } catch {
      if part.fetched == .zero { part.fetched = ContinuousClock.now - started }
      part.status = part.status ?? error.originStatus
      return await fail(error, source: source, held: held, url: url, exactKey: exactKey, part: part)
    }
  }

  private func ask(
    _ url: SourceURL, _ validators: Validators?, part: inout OriginPart
  ) async throws(AvatarError) -> OriginResponse {
    do {
      let sent = validators.flatMap { $0.isEmpty ? nil : $0 }
      let response = try await origin.fetch(OriginRequest(url: url, validators: sent))
      gate.record(url, nil)
      part.status = response.status
      part.fetched = response.elapsed
      return response
    } catch {
      gate.record(url, error)
      throw error
    }
  }

  private func land(
    _ response: OriginResponse, url: SourceURL, source: AvatarSource, held: HotAvatar?, begun: PurgeEpoch,
    priority: WorkPriority, part: inout OriginPart
  ) async throws(AvatarError) -> (avatar: HotAvatar, stored: Bool) {
    if response.status == 304 {
      guard let held else { throw AvatarError(.originProtocol, "304 without a stored copy", originStatus: 304) }
      var entry = held.entry
      entry.metadata = entry.metadata.renewed(by: response)
      entry.source = url.serialized
      entry.staleSince = nil
      return await cache.keep(entry, jpeg: held.jpeg.bytes, isNew: false, begun: begun)
    }
    let normalized = try await normalizer.normalize(
      response.source, recipe: source.recipe, limits: limits, priority: priority, deadline: .after(workLimit))
    part.queued = normalized.queued
    part.decoded = normalized.decoded
    part.facts = normalized.facts
    let object = cache.contentHash(of: normalized.jpeg)
    let now = cache.clock.now
    let same = held?.entry.object == object
    let entry = Entry(
      key: source.key, source: url.serialized, object: object, objectBytes: normalized.jpeg.count,
      metadata: OriginMetadata(of: response),
      changedAt: held.map { same ? $0.entry.changedAt : max(now, $0.entry.changedAt) } ?? now)
    return await cache.keep(entry, jpeg: normalized.jpeg, isNew: !same, begun: begun)
  }

  private func fail(
    _ error: AvatarError, source: AvatarSource, held: HotAvatar?, url: SourceURL, exactKey: CacheKey, part: OriginPart
  ) async -> Landing {
    if NegativePolicy.isForExactURL(error) { book.forget(url, for: source.key) }
    let until = failures.remember(error, key: source.key, exactKey: exactKey, now: .now)
    // The picture was taken down. Remembered first: whoever finds the old copy meanwhile must not serve it.
    if error.code == .originNotFound, held != nil { await cache.remove(source.key) }
    return Landing(result: .failure(error), rememberedUntil: until, exactKey: exactKey, origin: part)
  }

  /// Of one identity's URLs the one that lasts longest, unless its origin has just refused it.
  private func urlToFetch(for source: AvatarSource, held: HotAvatar?) -> SourceURL {
    guard source.sharesIdentity else { return source.url }
    let best = book.best(for: source.key, seen: source.url, expiry: naming.expiry(of: source.url))
    guard best != source.url else { return best }
    let exact = naming.source(best, fit: source.recipe.fit, trusted: false).key
    return failures.refuses(exact: exact, now: .now) ? source.url : best
  }
}
