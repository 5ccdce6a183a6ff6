/// Which prefetched avatars are at work and which wait: the pure state of `PrefetchLanes`.
///
/// A lane is taken until its work ends, but for no longer than `patience`: origins that hang must not hold up everybody behind them. What a backend waits
/// for goes before what nobody waits for; each kind in the order it came.
struct PrefetchQueue<Work: Sendable> {
  /// Names a piece of work that has begun.
  typealias Ticket = UInt64

  /// A piece of work whose turn has come.
  struct Turn: Sendable {
    let ticket: Ticket
    let work: Work
  }

  private let lanes: Int
  private let patience: Duration
  private var awaited: [Work] = []
  private var behind: [Work] = []
  private var firstAwaited = 0
  private var firstBehind = 0
  /// Lanes by what has them, with when that began; in the order of beginning.
  private var taken: [(ticket: Ticket, begun: ContinuousClock.Instant)] = []
  private var nextTicket: Ticket = 0

  /// No work; `lanes` is 1 or more.
  init(lanes: Int, patience: Duration) {
    self.lanes = lanes
    self.patience = patience
  }

  /// Work that waits for its turn.
  var waiting: Int { awaited.count - firstAwaited + behind.count - firstBehind }

  /// Takes a piece of work; whoever adds asks for `turns` afterwards.
  mutating func add(_ work: Work, isAwaited: Bool) {
    if isAwaited { awaited.append(work) } else { behind.append(work) }
  }

  /// A piece of work has ended; its lane may have been given on before.
  mutating func end(_ ticket: Ticket) {
    if let place = taken.firstIndex(where: { $0.ticket == ticket }) { taken.remove(at: place) }
  }

  /// The work whose turn it is now.
  mutating func turns(now: ContinuousClock.Instant) -> [Turn] {
    var turns: [Turn] = []
    while waiting > 0 {
      if taken.count >= lanes {
        guard let oldest = taken.first, oldest.begun + patience <= now else { break }
        taken.removeFirst()
      }
      guard let work = next() else { break }
      nextTicket += 1
      taken.append((nextTicket, now))
      turns.append(Turn(ticket: nextTicket, work: work))
    }
    return turns
  }

  private mutating func next() -> Work? {
    Self.pop(&awaited, &firstAwaited) ?? Self.pop(&behind, &firstBehind)
  }

  private static func pop(_ line: inout [Work], _ first: inout Int) -> Work? {
    guard first < line.count else { return nil }
    defer {
      first += 1
      // What has begun is let go of now and then, not each time.
      if first == line.count || first >= 1024 {
        line.removeFirst(first)
        first = 0
      }
    }
    return line[first]
  }
}
