import AvatarCore
import Synchronization

/// What a server's loops, acceptor and sweeper share.
final class ServerCore: Sendable {
  /// Totals since the start.
  struct Counters: ~Copyable {
    let accepted = Atomic<Int>(0)
    let refused = Atomic<Int>(0)
    let rejected = Atomic<Int>(0)
    let unread = Atomic<Int>(0)
    let slowRequests = Atomic<Int>(0)
    let slowResponses = Atomic<Int>(0)
  }

  let side: String
  let rules: RequestRules
  let handler: any HTTPHandling
  let problem: @Sendable (AvatarError) -> HTTPReply
  let log: any EventLogging
  let registry = ConnectionRegistry()
  let counters = Counters()
  let maxConnections: Int
  /// Signalled when a loop has got so many connections that it must be nudged.
  let becameCrowded: WakeUp
  /// Set once, by `close`: nothing is suspended any more.
  let isClosing = Atomic<Bool>(false)

  init(
    options: HTTPServerOptions, handler: any HTTPHandling, problem: @escaping @Sendable (AvatarError) -> HTTPReply,
    log: any EventLogging
  ) throws(AvatarError) {
    becameCrowded = try WakeUp()
    side = options.side
    maxConnections = options.maxConnections
    rules = RequestRules(
      methods: options.methods, maximumBodyBytes: options.maximumBodyBytes,
      maximumTargetBytes: options.maximumTargetBytes)
    self.handler = handler
    self.problem = problem
    self.log = log
  }

  /// For a connection that still waits when the server closes.
  func closingReply() -> HTTPReply {
    problem(AvatarError(.overloaded, "the server is closing", retryAfter: .seconds(1)))
  }

  /// For a responder that was dropped without an answer.
  func abandonedReply() -> HTTPReply {
    log.log(.error, "http_reply_abandoned", [("side", .text(side))])
    return problem(AvatarError(.internalFault, "a responder was dropped without an answer"))
  }

  /// For a reply that the library does not take: its fields hold a line break or nothing.
  func unsendableReply() -> HTTPReply {
    log.log(.error, "http_reply_unsendable", [("side", .text(side))])
    return problem(AvatarError(.internalFault, "a reply has a field that cannot be sent"))
  }
}

/// All open connections of a server.
final class ConnectionRegistry: Sendable {
  private let records = Mutex<[ObjectIdentifier: ConnectionRecord]>([:])

  /// Adds one and gives the number that there are now.
  func add(_ record: ConnectionRecord) -> Int {
    records.withLock { records in
      records[ObjectIdentifier(record)] = record
      return records.count
    }
  }

  func remove(_ record: ConnectionRecord) { records.withLock { $0[ObjectIdentifier(record)] = nil } }
  var count: Int { records.withLock { $0.count } }

  /// The connections of this moment; looked at outside the lock, so that the loops are not held up.
  var snapshot: [ConnectionRecord] { records.withLock { Array($0.values) } }
}
