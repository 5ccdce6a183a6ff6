/// What the fetcher is doing and has done since its start, for metrics.
public struct FetchStatistics: Hashable, Sendable {
  /// Exchanges that hold a slot now.
  public var running = 0
  /// Fetches that wait now for a look-up or a slot.
  public var waiting = 0
  /// Name look-ups that run now.
  public var lookups = 0
  /// Hops that were answered or failed.
  public var hops = 0
  /// Connections opened.
  public var connectionsOpened = 0
  /// Hops that used a connection that was there already.
  public var connectionsReused = 0
  /// Addresses refused, at a look-up or at a connection.
  public var addressesRefused = 0
  /// Fetches refused because too many wait.
  public var shed = 0
  /// Body bytes received, after content decoding.
  public var bytes = 0
}
