import AvatarCore

/// Up to four sources, best first: the first that gives an avatar wins, and none waits for long behind a slow one.
///
/// All are looked up at once. A source's fetch starts when the one before it has failed, or after a third of `patience` of its
/// silence. When the best has not answered within `patience`, the best that is ready is served.
public struct ChainResolver: Sendable {
  private let resolver: AvatarResolver
  private let patience: Duration

  /// Resolves through `resolver`.
  public init(_ resolver: AvatarResolver, patience: Duration) {
    self.resolver = resolver
    self.patience = patience
  }

  /// The first source's answer, if it is at hand: the one case in which a chain costs no waiting.
  public func hit(_ sources: [AvatarSource]) -> Answer? {
    guard let first = sources.first, var answer = resolver.hit(first) ?? resolver.hitAtOnce(first) else { return nil }
    if sources.count > 1 { answer.index = 0 }
    return answer
  }

  /// The chain's answer after `AvatarResolver.lookupOnDisk` found nothing to serve for its first source but, perhaps, an old copy.
  func resolve(_ sources: [AvatarSource], _ terms: Terms, after look: AvatarCache.Look) async -> Answer {
    // Several sources are looked up all at once: the first of them again, in memory if at all.
    sources.count > 1 ? await resolve(sources, terms) : await resolver.resolve(sources[0], terms, after: look)
  }

  /// The chain's answer, by the deadline at the latest; the first source's error where all fail.
  public func resolve(_ sources: [AvatarSource], _ terms: Terms) async -> Answer {
    guard sources.count > 1 else { return await resolver.resolve(sources[0], terms) }
    var state = ChainRace(count: sources.count)
    let (events, feed) = AsyncStream.makeStream(of: Event.self)
    var next = events.makeAsyncIterator()
    var helpers: [Task<Void, Never>] = []
    defer {
      feed.finish()
      for helper in helpers { helper.cancel() }
    }
    func begin(_ index: Int) {
      state.started(index)
      let source = sources[index]
      helpers.append(
        Task(executorPreference: TurnExecutor.shared) { [resolver] in
          feed.yield(.settled(index, await resolver.resolve(source, terms)))
        })
      if index + 1 < sources.count { helpers.append(alarm(.silence(index), after: patience / 3, feed)) }
    }
    if !terms.refresh {
      await withTaskGroup(of: (Int, Answer?).self) { group in
        for (index, source) in sources.enumerated() {
          group.addTask { [resolver] in
            if terms.onlyIfCached { return (index, await resolver.resolve(source, terms)) }
            return (index, await resolver.lookup(source).answer)
          }
        }
        for await (index, answer) in group {
          if let answer { state.settle(index, answer) }
        }
      }
    }
    helpers.append(alarm(.patienceOver, after: patience, feed))
    helpers.append(alarm(.deadline, after: terms.deadline.remaining, feed))
    while true {
      while let index = state.due { begin(index) }
      if let answer = state.verdict { return answer }
      guard let event = await next.next() else { return state.atDeadline }
      switch event {
      case .settled(let index, let answer): state.settle(index, answer)
      case .silence(let index): state.silent(index)
      case .patienceOver: state.patienceIsOver = true
      case .deadline: return state.atDeadline
      }
    }
  }

  private enum Event: Sendable {
    case settled(Int, Answer)
    case silence(Int)
    case patienceOver
    case deadline
  }

  private func alarm(_ event: Event, after delay: Duration, _ feed: AsyncStream<Event>.Continuation) -> Task<
    Void, Never
  > {
    Task {
      do {
        try await Task.sleep(for: delay)
        feed.yield(event)
      } catch {}  // Cancelled: the race is over.
    }
  }
}
