/// The age limits of one connection: pure, fed by the sweeper with what it sees.
///
/// The request path only turns a page (`ConnectionTurn`); the time of a page is when the sweeper first saw it, so that
/// no request pays for a clock. An age is therefore short by at most one interval of the sweeper.
struct ConnectionWatch: Sendable {
  /// The age limits.
  struct Limits: Sendable {
    /// A request's arrival.
    let request: Duration
    /// An answer's departure.
    let response: Duration
    /// A connection between two requests.
    let idle: Duration
  }

  /// What to do with the connection.
  enum Verdict: Equatable, Sendable { case keep, slowRequest, slowResponse }

  private var serial: UInt32?
  private var phase = ConnectionTurn.Phase.awaiting
  private var seen = ContinuousClock.now
  private var bytesAtStart: UInt64?
  private var firstByte: ContinuousClock.Instant?

  /// Takes one look. `bytesReceived` is the socket's count, asked for only between requests; nil where there is none.
  mutating func look(
    at turn: ConnectionTurn, now: ContinuousClock.Instant, limits: Limits, bytesReceived: () -> UInt64?
  ) -> Verdict {
    if serial != turn.serial {
      serial = turn.serial
      phase = .awaiting
      seen = now
      firstByte = turn.serial == 0 ? now : nil
      bytesAtStart = turn.serial == 0 ? nil : bytesReceived()
    }
    switch turn.phase {
    case .awaiting, .arriving:
      if firstByte == nil {
        if turn.phase == .arriving || bytesReceived() != bytesAtStart { firstByte = now }
      }
      if let firstByte, now - firstByte >= limits.request { return .slowRequest }
      // Where the kernel does not count bytes: no honest client is silent for `idle` and then slower than `request`.
      if now - seen >= limits.idle + limits.request { return .slowRequest }
    case .working:
      break
    case .answering:
      if phase != .answering { seen = now }
      if now - seen >= limits.response { return .slowResponse }
    }
    phase = turn.phase
    return .keep
  }
}

/// Where a connection stands: the how-manieth request, and how far that one is.
struct ConnectionTurn: Equatable, Sendable {
  /// How far a request is.
  enum Phase: UInt32, Sendable {
    /// Nothing is known of it.
    case awaiting = 0
    /// Its request line has come.
    case arriving = 1
    /// It has come whole; the handler has it.
    case working = 2
    /// Its answer is on the way.
    case answering = 3
  }

  /// 0 for the connection's first request.
  var serial: UInt32
  /// How far it is.
  var phase: Phase

  /// Both in one word, for an atomic.
  var word: UInt32 { serial << 2 | phase.rawValue }

  init(serial: UInt32, phase: Phase) {
    self.serial = serial
    self.phase = phase
  }

  init(word: UInt32) {
    serial = word >> 2
    phase = Phase(rawValue: word & 3) ?? .awaiting
  }
}
