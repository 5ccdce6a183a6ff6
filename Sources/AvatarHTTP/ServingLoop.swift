import AvatarCore
import Synchronization

/// One event loop of a server: takes requests from the library, asks the handler, queues the answers.
///
/// `@unchecked Sendable`: `daemon` is set once, before the loop gets its first connection; the rest is atomic or locked.
/// What the methods under 'Requests' touch of a context belongs to the loop's thread.
final class ServingLoop: @unchecked Sendable {
  /// What all loops of the server share.
  let server: ServerCore
  /// Open connections.
  let connections = Atomic<Int>(0)
  /// Admitted requests whose answer has not gone out whole.
  let inFlight = Atomic<Int>(0)
  /// Suspended connections, counted until the call that resumes them has returned: the library must not be stopped before.
  let suspended = Atomic<Int>(0)
  /// Requests that were answered before the library read them. Its thread alone writes it.
  let answeredEarly = Atomic<Int>(0)
  /// Whether its answers end their connections.
  let isDraining = Atomic<Bool>(false)
  /// Its hits' way past the library; nil with TLS. Set once, before the first connection.
  private(set) var lane: FastLane?
  private var isPrompt = false
  private let handedOver = Atomic<Int>(0)
  private let opened = Atomic<Int>(0)
  private let lastLine = Mutex("")
  private var daemon: MHDDaemon?

  /// Starts the loop's thread; throws `internal` where the library refuses, as with a certificate that is not one.
  init(server: ServerCore, options: HTTPServerOptions) throws(AvatarError) {
    self.server = server
    if options.tls == nil { lane = try FastLane(for: self, idleTimeout: options.idleTimeout) }
    daemon = try MHDDaemon(for: self, options: options)
  }

  // MARK: - Life

  /// Hands a socket over. Never after `stop`, never at the same time as it.
  func add(_ socket: AcceptedSocket) -> Bool {
    guard let daemon else { return false }
    let isTaken = daemon.add(socket.descriptor, address: socket.address, length: socket.length)
    if isTaken { handedOver.wrappingAdd(1, ordering: .relaxed) }
    return isTaken
  }

  /// Connections that were handed over and that its thread has not seen yet.
  var onTheWay: Int { handedOver.load(ordering: .acquiring) - opened.load(ordering: .acquiring) }

  /// Whether it has no connection and none on the way.
  var isEmpty: Bool { onTheWay == 0 && connections.load(ordering: .acquiring) == 0 }

  /// Connections from which on `nudge` is needed.
  static let crowd = 100

  /// Has the loop look at its events once more.
  ///
  /// The library takes 128 events at a time, and after exactly 128 it waits for more *before* it looks at those: with
  /// nothing else coming in, 128 clients would wait until a timeout. A nudge now and then, as long as there are enough
  /// connections for that, gets it going.
  func nudge() { daemon?.nudge() }

  /// Ends the loop with all its connections; blocks until its thread has ended.
  ///
  /// The library aborts the process where a connection is still suspended then. None is: `close` waits until `suspended`
  /// is 0, and with `isClosing` set, what the loop's thread suspends it resumes before it leaves the callback.
  func stop() {
    daemon?.stop()
    daemon = nil
    lane = nil
  }

  // MARK: - Connections

  func connectionOpened(descriptor: Int32) -> ConnectionRecord {
    if !isPrompt {
      // The library made the thread; it is this one.
      isPrompt = true
      ThreadUrgency.prompt.apply()
    }
    let record = ConnectionRecord(loop: self, descriptor: descriptor)
    let count = connections.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue
    if count == Self.crowd { server.becameCrowded.signal() }
    opened.wrappingAdd(1, ordering: .acquiringAndReleasing)
    if server.registry.add(record) > server.maxConnections {
      // Several were on their way when the acceptor looked.
      server.counters.refused.wrappingAdd(1, ordering: .relaxed)
      record.shutDown()
    } else {
      server.counters.accepted.wrappingAdd(1, ordering: .relaxed)
      lane?.enter(record)
    }
    return record
  }

  func connectionClosed(_ record: ConnectionRecord) {
    lane?.leave(record)
    record.forgetSocket()
    record.spare = nil
    server.registry.remove(record)
    connections.wrappingSubtract(1, ordering: .acquiringAndReleasing)
  }

  // MARK: - Requests

  func requestBegan(on record: ConnectionRecord, target: UnsafeRawBufferPointer) -> RequestContext {
    record.enter(.arriving)
    // The lane may have asked already, about these very bytes.
    let aim = record.pass.said.map { .known($0.known) } ?? aim(of: target)
    guard let context = record.spare else {
      return RequestContext(record: record, aim: aim, targetBytes: target.count)
    }
    record.spare = nil
    context.begin(aim, targetBytes: target.count)
    return context
  }

  private func aim(of target: UnsafeRawBufferPointer) -> RequestContext.Aim {
    if let known = server.handler.recall(target) { return .known(known) }
    guard target.count <= server.rules.maximumTargetBytes, let read = RequestTarget(target) else { return .nothing }
    return .read(read)
  }

  /// Judges the head. A refusal is queued at once, which closes the connection; false closes it without a word.
  func headArrived(_ context: RequestContext, on connection: MHDConnection, framing: RequestFraming) -> Bool {
    context.record.pass.headEnded(bytes: framing.isExact ? framing.headBytes : 0)
    context.isConditional = framing.isConditional
    if context.known != nil, let method = server.rules.atOnce(framing) {
      context.stage = .admitted(method)
      count(context)
      return true
    }
    let verdict = server.rules.verdict(
      on: framing, target: context.target, targetBytes: context.targetBytes, host: connection.field("Host"))
    switch verdict {
    case .admit(let method):
      context.stage = .admitted(method)
      if let length = framing.contentLength { context.body.reserveCapacity(Int(length)) }
    case .refuseAfterBody(let error):
      context.stage = .discarding(error)
    case .refuse(let error):
      count(context)
      return reject(context, on: connection, with: error)
    }
    count(context)
    return true
  }

  /// The whole request is here, or its connection was woken: answers, or suspends it until there is an answer.
  func requestArrived(_ context: RequestContext, on connection: MHDConnection) -> Bool {
    switch context.stage {
    case .admitted(let method):
      context.record.enter(.working)
      let said = context.record.pass.said
      if let reply = said == nil ? hit(context, method, on: connection) : said?.reply {
        return queue(reply, context, on: connection)
      }
      return ask(context.request(method, on: connection), context, on: connection)
    case .discarding(let error):
      return reject(context, on: connection, with: error)
    case .waiting(let pending):
      switch pending.take() {
      case .prepared(let reply): return queue(reply, context, on: connection)
      case .reply(let reply): return queue(reply, context, on: connection)
      case nil: return true  // Called early; the outcome brings the next call.
      }
    case .head, .answered:
      return false
    }
  }

  /// The context is good for another request.
  func requestEnded(_ context: RequestContext) {
    let record = context.record
    record.turnPage()
    record.pass.requestEnded()
    if context.isCounted { inFlight.wrappingSubtract(1, ordering: .acquiringAndReleasing) }
    context.end()
    record.spare = context
  }

  /// Wakes a suspended connection; from any thread.
  func resume(_ connection: MHDConnection) {
    connection.resume()
    suspended.wrappingSubtract(1, ordering: .acquiringAndReleasing)
  }

  // MARK: - Answers

  private func hit(_ context: RequestContext, _ method: HTTPRequest.Method, on connection: MHDConnection)
    -> PreparedReply?
  {
    guard method != .post, let known = context.known else { return nil }
    return server.handler.hit(known) {
      guard context.isConditional else { return nil }
      // Where there are tags, the date says nothing (RFC 9110 section 13.1.3).
      let tags = connection.field("If-None-Match")
      return ConditionalRequest(
        ifNoneMatch: tags, ifModifiedSince: tags == nil ? connection.field("If-Modified-Since") : nil)
    }
  }

  private func ask(_ request: consuming HTTPRequest, _ context: RequestContext, on connection: MHDConnection) -> Bool {
    let disposition = server.handler.respond(to: request)
    // Only the handler holds on to it from here on, if it has to.
    _ = consume request
    switch disposition {
    case .prepared(let reply):
      context.detachFields(copying: false)
      return queue(reply, context, on: connection)
    case .reply(let reply):
      context.detachFields(copying: false)
      return queue(reply, context, on: connection)
    case .later(let start):
      context.detachFields(copying: true)
      suspend(context, on: connection, then: start)
      return true
    }
  }

  private func suspend(
    _ context: RequestContext, on connection: MHDConnection, then start: (any HTTPResponder) -> Void
  ) {
    // In this order: counted, suspended, published. Published first, an answer could come before the suspension,
    // which would then undo it and leave the connection waiting for ever.
    suspended.wrappingAdd(1, ordering: .acquiringAndReleasing)
    connection.suspend()
    let pending = PendingReply(for: connection, on: self)
    context.stage = .waiting(pending)
    context.record.waiting.withLock { $0 = pending }
    if server.isClosing.load(ordering: .sequentiallyConsistent) {
      // `close` may have looked for suspended connections before this one could be found.
      pending.settle(.reply(server.closingReply()))
      return
    }
    start(Responder(pending) { [server] in server.abandonedReply() })
  }

  private func queue(_ reply: PreparedReply, _ context: RequestContext, on connection: MHDConnection) -> Bool {
    // PreparedReply has one subclass, ours; a foreign one is a bug of the wiring and answers 500.
    guard type(of: reply) == MHDPreparedReply.self else {
      return queue(server.unsendableReply(), context, on: connection)
    }
    let reply = unsafeDowncast(reply, to: MHDPreparedReply.self)
    guard let response = reply.response(closes: endsConnection) else {
      return queue(server.unsendableReply(), context, on: connection)
    }
    return finish(context, connection.queue(response))
  }

  private func queue(
    _ reply: HTTPReply, _ context: RequestContext, on connection: MHDConnection, closes: Bool = false
  ) -> Bool {
    let body = reply.body
    let response =
      MHDResponse(reply, body: body, closes: closes || endsConnection)
      ?? MHDResponse(server.unsendableReply(), body: FixedBytes([]), closes: true)
    guard let response else { return finish(context, false) }
    return finish(context, connection.queue(response))
  }

  private func reject(_ context: RequestContext, on connection: MHDConnection, with error: AvatarError) -> Bool {
    server.counters.rejected.wrappingAdd(1, ordering: .relaxed)
    var reply = server.problem(error)
    if error.code == .methodNotAllowed {
      let methods = context.target.flatMap { server.handler.allowedMethods(at: $0.path) }
      let allow = methods?.map(\.rawValue).joined(separator: ", ") ?? server.rules.allow
      reply.headers.append(HeaderField("Allow", allow))
    }
    return queue(reply, context, on: connection, closes: true)
  }

  private func finish(_ context: RequestContext, _ isQueued: Bool) -> Bool {
    if case .waiting = context.stage { context.record.waiting.withLock { $0 = nil } }
    context.stage = .answered
    context.record.enter(.answering)
    return isQueued
  }

  private var endsConnection: Bool { isDraining.load(ordering: .relaxed) }

  private func count(_ context: RequestContext) {
    context.isCounted = true
    inFlight.wrappingAdd(1, ordering: .relaxed)
  }

  // MARK: - The library's log

  /// The last line that the library logged; why it did not start.
  var lastLibraryLine: String { lastLine.withLock { $0 } }

  /// One line of the library's log: mostly clients that break the protocol or go away.
  func libraryLogged(_ line: String) {
    let line = String(line.prefix { $0 != "\n" })
    lastLine.withLock { $0 = line }
    guard server.log.isEnabled(.debug) else { return }
    server.log.log(.debug, "http_library", [("side", .text(server.side)), ("line", .text(line))])
  }
}
