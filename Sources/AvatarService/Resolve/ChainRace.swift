import AvatarCore

/// The rules of a chain as a pure value: which source is due, and what is the answer so far.
struct ChainRace: Sendable {
  private enum Runner: Sendable {
    case waiting
    case running(silent: Bool)
    case ready(Answer)
    case failed(Answer)
  }
  private var runners: [Runner]
  /// Set when `chain.patience` has passed.
  var patienceIsOver = false

  init(count: Int) { runners = Array(repeating: .waiting, count: count) }

  mutating func started(_ index: Int) { runners[index] = .running(silent: false) }

  mutating func silent(_ index: Int) {
    if case .running = runners[index] { runners[index] = .running(silent: true) }
  }

  mutating func settle(_ index: Int, _ answer: Answer) {
    switch answer.outcome {
    case .avatar: runners[index] = .ready(answer)
    case .failure: runners[index] = .failed(answer)
    }
  }

  /// The next source whose fetch should start: the one before it has failed or kept silent. None behind one that is ready.
  var due: Int? {
    for (index, runner) in runners.enumerated() {
      switch runner {
      case .waiting: return index
      case .running(silent: false), .ready: return nil
      case .running(silent: true), .failed: continue
      }
    }
    return nil
  }

  /// The answer if it stands: the best source is ready, or patience with a better one is over, or all have failed.
  var verdict: Answer? {
    guard let best = bestReady else {
      if case .failed(let first) = runners[0], runners.allSatisfy({ if case .failed = $0 { true } else { false } }) {
        return marked(first, 0)
      }
      return nil
    }
    return best.pendingBefore && !patienceIsOver ? nil : best.answer
  }

  /// The answer when no more time is left.
  var atDeadline: Answer {
    if let best = bestReady { return best.answer }
    if case .failed(let first) = runners[0] { return marked(first, 0) }
    return marked(Answer(AvatarError(.budgetExceeded), .forwarded(.uriMiss, detail: .budgetExceeded)), 0)
  }

  private var bestReady: (answer: Answer, pendingBefore: Bool)? {
    var isPending = false
    var limit: Int64?
    for (index, runner) in runners.enumerated() {
      switch runner {
      case .waiting, .running: isPending = true
      case .failed(let answer):
        if case .failure(_, let remembered) = answer.outcome {
          limit = min(limit ?? .max, remembered?.wholeSeconds ?? 0)
        }
      case .ready(let answer):
        var answer = marked(answer, index)
        if isPending { limit = min(limit ?? .max, 30) }
        answer.maximumAge = limit
        return (answer, isPending)
      }
    }
    return nil
  }

  private func marked(_ answer: Answer, _ index: Int) -> Answer {
    var answer = answer
    answer.index = index
    return answer
  }
}
