public import AvatarCore
import Glibc
import Synchronization

/// Serves one side of the service over HTTP/1.1, or HTTPS, with threads of its own.
///
/// It stands between the network and a handler: requests that are malformed, smuggled, too long, too slow or not allowed
/// never get through. Its end goes in this order: `beginDrain`, `stopAccepting`, `waitUntilIdle`, `close`.
public final class HTTPServer: Sendable {
  /// The port that is listened on; the one asked for unless that was 0.
  public let boundPort: UInt16
  private let core: ServerCore
  private let options: HTTPServerOptions
  private let fleet: LoopFleet
  private let acceptor: Acceptor
  private let sweeper: Sweeper

  /// Binds, starts every thread and serves.
  ///
  /// `problem` makes the answer for each error that the server decides by itself: 400 `invalid_request`, 405 (it adds
  /// `Allow`), 413, 414, 500 for a responder that was dropped, 503 for one that outlives the server.
  /// Throws `internal` where the address is taken, the certificate is not one, or the process may not open enough files.
  public init(
    options: HTTPServerOptions, handler: any HTTPHandling, problem: @escaping @Sendable (AvatarError) -> HTTPReply,
    log: any EventLogging
  ) throws(AvatarError) {
    self.options = options
    try DescriptorLimit.raise(to: options.maxConnections + Self.otherDescriptors)
    core = try ServerCore(options: options, handler: handler, problem: problem, log: log)
    let socket = try ListenSocket(host: options.host, port: options.port)
    boundPort = socket.port
    do {
      fleet = LoopFleet(try LoopFleet.start(core, options))
    } catch {
      socket.close()
      throw error
    }
    do {
      sweeper = try Sweeper(core: core, fleet: fleet, options: options)
    } catch {
      fleet.stopAll()
      socket.close()
      throw error
    }
    do {
      acceptor = try Acceptor(socket, core: core, fleet: fleet)
    } catch {
      sweeper.stop()
      fleet.stopAll()
      socket.close()
      throw error
    }
  }

  /// Descriptors that a process needs beside connections: files, origins, workers, the loops' own.
  private static let otherDescriptors = 1024

  /// The present counts; cheap.
  public var statistics: HTTPServerStatistics {
    let loops = fleet.all
    return HTTPServerStatistics(
      connections: core.registry.count,
      inFlight: loops.reduce(0) { $0 + $1.inFlight.load(ordering: .relaxed) },
      waiting: loops.reduce(0) { $0 + $1.suspended.load(ordering: .relaxed) },
      accepted: core.counters.accepted.load(ordering: .relaxed),
      refused: core.counters.refused.load(ordering: .relaxed),
      rejected: core.counters.rejected.load(ordering: .relaxed),
      early: loops.reduce(0) { $0 + $1.answeredEarly.load(ordering: .relaxed) },
      unread: core.counters.unread.load(ordering: .relaxed),
      slowRequests: core.counters.slowRequests.load(ordering: .relaxed),
      slowResponses: core.counters.slowResponses.load(ordering: .relaxed))
  }

  /// New connections get `identity`; present ones keep theirs and end with their next answer.
  ///
  /// Throws `internal` and changes nothing where the certificate or key is not one, or they do not belong together.
  /// For a server that was started with TLS.
  public func reloadTLS(_ identity: TLSIdentity) throws(AvatarError) {
    guard options.tls != nil else { throw AvatarError(.internalFault, "the server was started without TLS") }
    var changed = options
    changed.tls = identity
    let loops = try LoopFleet.start(core, changed)
    if !fleet.replace(with: loops) {
      loops.forEach { $0.stop() }
      throw AvatarError(.internalFault, "the server is closed")
    }
  }

  // MARK: - The end

  /// From now on each answer ends its connection; new connections are still taken.
  public func beginDrain() { fleet.beginDrain() }

  /// Stops listening: further clients are refused by the system. Blocks for a moment; may be called again.
  public func stopAccepting() { acceptor.stop() }

  /// Waits until every request that was taken has its answer; false if that is not so by `deadline`.
  public func waitUntilIdle(until deadline: Deadline) async -> Bool {
    // Looked at rather than signalled: it happens once in a process's life, and requests stay free of the cost.
    while statistics.inFlight > 0 {
      guard !deadline.hasPassed, !Task.isCancelled else { return false }
      try? await Task.sleep(for: .milliseconds(5))
    }
    return true
  }

  /// Ends everything: requests that still wait get 503, then all connections are closed and all threads are joined.
  ///
  /// An answer that is on its way gets `grace` to arrive. May be called at any time and more than once.
  public func close(grace: Duration = .seconds(2)) async {
    beginDrain()
    await withCheckedContinuation { continuation in
      let finish: @Sendable () -> Void = {
        self.finish(grace: grace)
        continuation.resume()
      }
      // Joining blocks, so that it has no place on the cooperative pool; without a thread it must happen there.
      if !NamedThread.start("avatar-close", finish) { finish() }
    }
  }

  private func finish(grace: Duration) {
    acceptor.stop()
    core.isClosing.store(true, ordering: .sequentiallyConsistent)
    for record in core.registry.snapshot {
      record.waiting.withLock { $0 }?.settle(.reply(core.closingReply()))
    }
    let deadline = Deadline.after(grace)
    // A responder may have won the race for its connection and not have resumed it yet: that takes microseconds, and
    // stopping before would abort. So this wait has no deadline; the one for the clients has.
    while statistics.waiting > 0 || (statistics.inFlight > 0 && !deadline.hasPassed) { _ = poll(nil, 0, 1) }
    sweeper.stop()
    fleet.stopAll()
  }
}
