/// What to send where, how fast and for how long.
public struct LoadPlan: Sendable {
  /// When requests are due.
  public enum Arrivals: Sendable, Equatable {
    /// At a fixed rate whatever the server does; latency counts from the moment a request was due.
    case open(perSecond: Double)
    /// On each connection as soon as its last answer has come; latency counts from the sending.
    case closed
    /// One on each connection, all at once.
    case burst
  }

  /// In which order a book's requests are sent.
  public enum Order: Sendable, Equatable {
    /// From first to last and again.
    case inTurn
    /// From first to last, and then no more.
    case once
    /// Any at any time, the same sequence for the same seed.
    case shuffled(seed: UInt64)
  }

  /// Where to.
  public var target: Endpoint
  /// What.
  public var book: RequestBook
  /// When.
  public var arrivals: Arrivals
  /// In which order.
  public var order = Order.inTurn
  /// Connections, over all threads.
  public var connections: Int
  /// A connection for each request rather than kept ones.
  public var opensNewConnections = false
  /// How long requests are due.
  public var duration: Duration
  /// How long an answer is waited for; longer counts as none.
  public var answerLimit: Duration = .seconds(10)
  /// The statuses of a right answer.
  public var expected: Set<Int> = [200]
  /// Threads that send.
  public var threads = 1

  /// A plan.
  public init(
    target: Endpoint, book: RequestBook, arrivals: Arrivals, connections: Int, duration: Duration,
    order: Order = .inTurn, expected: Set<Int> = [200]
  ) {
    self.target = target
    self.book = book
    self.arrivals = arrivals
    self.connections = connections
    self.duration = duration
    self.order = order
    self.expected = expected
  }
}
