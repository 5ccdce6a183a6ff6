/// What a server counts, for metrics and health; totals are since its start.
public struct HTTPServerStatistics: Hashable, Sendable {
  /// Open connections.
  public var connections: Int
  /// Requests that passed the checks and whose answer has not been sent whole.
  public var inFlight: Int
  /// Of those, how many wait for an answer that comes later.
  public var waiting: Int
  /// Connections taken.
  public var accepted: Int
  /// Connections closed at once because of `maxConnections` or for want of descriptors.
  public var refused: Int
  /// Requests that the adapter answered itself: malformed, not allowed, too long.
  public var rejected: Int
  /// Requests answered before the library read them, by the present loops.
  public var early: Int
  /// Connections ended because a client asked on and on without reading.
  public var unread: Int
  /// Connections closed because a request took longer than `requestTimeout` to arrive.
  public var slowRequests: Int
  /// Connections closed because a client took longer than `responseTimeout` to read.
  public var slowResponses: Int

  /// Makes statistics.
  public init(
    connections: Int = 0, inFlight: Int = 0, waiting: Int = 0, accepted: Int = 0, refused: Int = 0, rejected: Int = 0,
    early: Int = 0, unread: Int = 0, slowRequests: Int = 0, slowResponses: Int = 0
  ) {
    self.connections = connections
    self.inFlight = inFlight
    self.waiting = waiting
    self.accepted = accepted
    self.refused = refused
    self.rejected = rejected
    self.early = early
    self.unread = unread
    self.slowRequests = slowRequests
    self.slowResponses = slowResponses
  }
}
