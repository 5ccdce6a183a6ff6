import Dispatch
import Foundation
import NotificationPayload

/// One download under way.
public final class AvatarDownload: Sendable {
  private struct State: Sendable {
    var completion: (@Sendable (AvatarOutcome) -> Void)?
    var waiting: [AvatarCandidate]
    /// What is tried now; `attempt` tells a late answer to an earlier try from one to this.
    var current: AvatarCandidate?
    var attempt = 0
    var exchange: FetchExchange?
    /// Whole and checked; on its way into the cache.
    var picture: AvatarPicture?
    var failures: [AvatarOutcome.Failure] = []
  }

  private let options: AvatarDownloader.Options
  private let cache: AvatarCache?
  private let end: DispatchTime
  private let state: Locked<State>

  init(
    _ candidates: [AvatarCandidate], options: AvatarDownloader.Options, cache: AvatarCache?,
    completion: @escaping @Sendable (AvatarOutcome) -> Void
  ) {
    self.options = options
    self.cache = cache
    end = .now() + max(0, options.deadline)
    state = Locked(State(completion: completion, waiting: candidates))
  }

  func start() {
    let queue = DispatchQueue.global(qos: .userInitiated)
    queue.asyncAfter(deadline: end) { [weak self] in self?.stop(.timedOut) }
    queue.async { self.advance() }
  }

  /// Gives up: no request goes on, and the completion runs, if it has not.
  public func cancel() { stop(.cancelled) }

  private func stop(_ fault: DownloadFault) {
    let exchange = state.withLock { state -> FetchExchange? in
      if state.completion != nil, state.picture == nil {
        let left = [state.current].compactMap(\.self) + state.waiting
        state.failures += left.map { AvatarOutcome.Failure(candidate: $0, fault: fault) }
        // In the same step: the attempt may fail by its own share of the time at this very moment, and must not count twice.
        state.current = nil
        state.waiting = []
        state.attempt += 1
      }
      return state.exchange
    }
    finish()
    exchange?.cancel()
  }

  /// Goes on to the next candidate.
  private func advance() {
    let next = state.withLock { state -> Attempt? in
      guard state.completion != nil, !state.waiting.isEmpty else { return nil }
      let candidate = state.waiting.removeFirst()
      state.current = candidate
      state.attempt += 1
      return Attempt(number: state.attempt, candidate: candidate, share: secondsLeft / Double(state.waiting.count + 1))
    }
    guard let next else {
      finish()
      return
    }
    guard let address = AvatarAddress(next.candidate.url) else {
      fail(next, .invalidURL)
      return
    }
    if let jpeg = cache?.lookup(address) {
      hold(AvatarPicture(jpeg: jpeg, candidate: next.candidate, isCached: true))
      finish()
    } else {
      fetch(next, address)
    }
  }

  private struct Attempt: Sendable {
    var number: Int
    var candidate: AvatarCandidate
    /// Seconds.
    var share: TimeInterval
  }

  private func fetch(_ attempt: Attempt, _ address: AvatarAddress) {
    let order = FetchOrder(
      url: address.url, headers: ["Accept": "image/jpeg, image/*;q=0.5"], maximumBytes: options.maximumBytes,
      maximumRedirects: options.maximumRedirects, limit: attempt.share,
      accepts: { $0.hasPrefix("image/") && $0 != "image/svg+xml" })
    let exchange = FetchSession.shared.fetch(order) { result in
      switch result {
      case .success(let answer): self.take(answer, attempt, address)
      case .failure(let fault): self.fail(attempt, fault)
      }
    }
    let isOver = state.withLock { state -> Bool in
      // A fast answer may have led on to the next candidate by now, or the time may be over.
      guard state.attempt == attempt.number else { return true }
      state.exchange = exchange
      return state.completion == nil
    }
    if isOver { exchange.cancel() }
  }

  private func take(_ answer: FetchAnswer, _ attempt: Attempt, _ address: AvatarAddress) {
    guard address.content.admits(SHA256Digest(of: answer.bytes), entityTag: answer.entityTag) else {
      fail(attempt, .wrongHash)
      return
    }
    switch Thumbnail.make(answer.bytes, side: options.side, maximumPixels: options.maximumPixels) {
    case .success(let jpeg):
      // First into the cache: once the notification is delivered, the process may be stopped at any moment. Should the deadline pass
      // meanwhile, the picture is in hand.
      hold(AvatarPicture(jpeg: jpeg, candidate: attempt.candidate, isCached: false))
      cache?.store(jpeg, for: address)
      finish()
    case .failure(let fault): fail(attempt, fault)
    }
  }

  private func hold(_ picture: AvatarPicture) { state.withLock { $0.picture = picture } }

  private func fail(_ attempt: Attempt, _ fault: DownloadFault) {
    let isOver = state.withLock { state -> Bool in
      guard state.completion != nil, state.attempt == attempt.number else { return true }
      state.failures.append(AvatarOutcome.Failure(candidate: attempt.candidate, fault: fault))
      state.current = nil
      state.exchange = nil
      return false
    }
    if !isOver { advance() }
  }

  /// Answers, if it has not, with what there is.
  private func finish() {
    let (completion, outcome) = state.withLock { state -> ((@Sendable (AvatarOutcome) -> Void)?, AvatarOutcome) in
      defer {
        state.completion = nil
        state.current = nil
        state.exchange = nil
        state.waiting = []
      }
      return (state.completion, AvatarOutcome(picture: state.picture, failures: state.failures))
    }
    completion?(outcome)
  }

  /// Until the deadline.
  private var secondsLeft: TimeInterval {
    let now = DispatchTime.now().uptimeNanoseconds
    return end.uptimeNanoseconds > now ? Double(end.uptimeNanoseconds - now) / 1e9 : 0
  }
}
