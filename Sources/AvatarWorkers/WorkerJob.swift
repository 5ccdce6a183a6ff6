import AvatarCore

/// One image on its way through the pool, and who is to be told.
struct WorkerJob: Sendable {
  /// What its caller gets.
  typealias Outcome = Result<NormalizedAvatar, AvatarError>

  let number: UInt64
  let source: SourceBytes
  let recipe: Recipe
  let limits: ImageLimits
  let priority: WorkPriority
  let deadline: Deadline
  let enqueuedAt: ContinuousClock.Instant
  let answer: CheckedContinuation<Outcome, Never>
  /// Workers that died with it in hand.
  var deaths: [WorkerDeath] = []
  /// From the request to the first worker.
  var queued: Duration?

  /// Whether it takes a worker for long: tens of milliseconds and more, where most avatars take one or two.
  var isLarge: Bool { source.count >= Self.largeBytes }
  /// From here on it is large.
  static let largeBytes = 1 << 20

  /// Tells the caller, exactly once. Never inside a lock.
  func settle(_ outcome: Outcome) { answer.resume(returning: outcome) }

  /// What a death of the worker means for the image: nil for one more try, else the end.
  ///
  /// Two deaths of the image's own doing say that it cannot be decoded, which is remembered. Anything else says something of this
  /// machine, at this moment: it is not.
  static func verdict(after deaths: [WorkerDeath], deadline: Deadline) -> AvatarError? {
    let detail = "worker " + deaths.map(\.description).joined(separator: "; worker ")
    if deaths.count < 2 {
      return deadline.hasPassed ? AvatarError(.budgetExceeded, detail) : nil
    }
    if deaths.allSatisfy(\.isOfItsOwnDoing) { return AvatarError(.imageCorrupt, detail) }
    if deaths.contains(where: { $0.reason == .starved }) {
      return AvatarError(.overloaded, detail, retryAfter: .seconds(1))
    }
    return AvatarError(.internalFault, detail)
  }
}
