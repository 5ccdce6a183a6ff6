internal import Glibc

/// The origin's one thread: takes connections, reads requests, sends answers, keeps the time.
final class OriginLoop {
  /// Of a request's head.
  static let mostHeadBytes = 16_384
  static let mostConnections = 16_384
  private static let listenerToken: UInt64 = 0
  private static let wakeToken: UInt64 = 1

  private let listener: Int32
  private let wake: Int32
  private let connectionLimit: Int
  private var poll: EventPoll
  private var answers: OriginAnswers
  private var timers = TimerHeap()
  private var connections: [UInt64: OriginConnection] = [:]
  private var lastToken = OriginLoop.wakeToken
  private var lastSerial: UInt64 = 0
  private var isListening = true
  private var isStopped = false
  private let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: OriginLoop.mostHeadBytes, alignment: 16)

  /// Accepts at `listener` until `wake` becomes readable; both stay the caller's.
  init(
    listener: Int32, wake: Int32, answers: OriginAnswers, connectionLimit: Int
  ) throws(OriginFault) {
    (self.listener, self.wake, self.answers, self.connectionLimit) = (listener, wake, answers, connectionLimit)
    poll = try EventPoll()
    try poll.add(listener, token: Self.listenerToken)
    try poll.add(wake, token: Self.wakeToken)
  }

  deinit { scratch.deallocate() }

  func run() {
    var ready: [EventPoll.Event] = []
    while !isStopped {
      ready.removeAll(keepingCapacity: true)
      poll.wait(milliseconds: timeout) { ready.append($0) }
      for event in ready { take(event) }
      guard timers.earliest != nil else { continue }
      let now = ContinuousClock.now
      while let timer = timers.take(until: now) { fire(timer) }
    }
    connections.removeAll()
  }

  private var timeout: Int32 {
    guard let moment = timers.earliest else { return -1 }
    let (seconds, attoseconds) = (moment - ContinuousClock.now).components
    if seconds < 0 || attoseconds < 0 { return 0 }
    return Int32(clamping: seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
  }

  private func take(_ event: EventPoll.Event) {
    switch event.token {
    case Self.listenerToken: accept()
    case Self.wakeToken: isStopped = true
    default:
      // It may have been closed by an event before.
      guard let connection = connections[event.token] else { return }
      if event.hasEnded { return drop(connection) }
      if event.isWritable, case .sending(let reply) = connection.phase { proceed(connection, reply) }
      if event.isReadable { read(connection) }
    }
  }

  // MARK: Connections

  private func accept() {
    while connections.count < connectionLimit {
      let socket = Glibc.accept(listener, nil, nil)
      if socket < 0, errno == EAGAIN { return }
      if socket < 0, errno == ECONNABORTED || errno == EINTR { continue }
      if socket < 0 {
        // No descriptor or no memory, until a client leaves; where there is none, others have taken it and it is tried again.
        if connections.isEmpty { return }
        break
      }
      _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
      lastToken += 1
      let connection = OriginConnection(owning: socket, token: lastToken)
      guard (try? poll.add(socket, token: connection.token)) != nil else { continue }
      connections[connection.token] = connection
    }
    // Full: the others wait in the kernel until one leaves.
    poll.remove(listener)
    isListening = false
  }

  private func drop(_ connection: OriginConnection) {
    poll.remove(connection.socket)
    connections[connection.token] = nil
    guard !isListening else { return }
    isListening = (try? poll.add(listener, token: Self.listenerToken)) != nil
  }

  /// Ends a connection so that the client gets all that was sent.
  private func leave(_ connection: OriginConnection) {
    connection.finishSending()
    connection.phase = .leaving
    if connection.isWatchedForWriting { watch(connection, forWriting: false) }
    setTimer(for: connection, at: .now + .seconds(1))
  }

  private func watch(_ connection: OriginConnection, forWriting: Bool) {
    poll.watch(connection.socket, token: connection.token, forWriting: forWriting)
    connection.isWatchedForWriting = forWriting
  }

  private func setTimer(for connection: OriginConnection, at moment: ContinuousClock.Instant) {
    lastSerial += 1
    connection.timerSerial = lastSerial
    timers.add(TimerHeap.Entry(moment: moment, token: connection.token, serial: lastSerial))
  }

  private func fire(_ timer: TimerHeap.Entry) {
    guard let connection = connections[timer.token], connection.timerSerial == timer.serial else { return }
    switch connection.phase {
    case .waiting(let action):
      act(action, on: connection)
      serveInput(connection)
    case .sending(let reply): proceed(connection, reply)
    case .leaving: drop(connection)
    case .reading, .hanging: break
    }
  }

  // MARK: Requests

  /// Takes what has come. A client that ends its side while it waits is taken for gone.
  private func read(_ connection: OriginConnection) {
    guard connections[connection.token] != nil else { return }
    let count = connection.receive(into: scratch)
    guard count > 0 else {
      if count == 0 || (errno != EAGAIN && errno != EINTR) { drop(connection) }
      return
    }
    if case .leaving = connection.phase { return }
    let fresh = UnsafeBufferPointer(rebasing: scratch.bindMemory(to: UInt8.self)[..<count])
    guard case .reading = connection.phase else {
      // Sent ahead of the answer; it has its turn later.
      connection.input += fresh
      if connection.input.count > Self.mostHeadBytes { drop(connection) }
      return
    }
    guard !connection.input.isEmpty else {
      let used = serve(connection, fresh)
      connection.input = Array(fresh[used...])
      return
    }
    connection.input += fresh
    serveInput(connection)
  }

  /// Answers what was read before, if it is its turn. Never out of `serve`, which has the same bytes in hand.
  private func serveInput(_ connection: OriginConnection) {
    guard connections[connection.token] != nil, case .reading = connection.phase, !connection.input.isEmpty else {
      return
    }
    let input = connection.input
    let used = input.withUnsafeBufferPointer { serve(connection, $0) }
    connection.input.removeFirst(used)
  }

  /// Answers request by request until one takes time; gives the bytes that are done with.
  private func serve(_ connection: OriginConnection, _ bytes: UnsafeBufferPointer<UInt8>) -> Int {
    var used = 0
    while used < bytes.count, connections[connection.token] != nil, case .reading = connection.phase {
      let rest = UnsafeBufferPointer(rebasing: bytes[used...])
      switch RequestHead.read(rest) {
      case .incomplete:
        if rest.count >= Self.mostHeadBytes { send(answers.refusal(431), on: connection) }
        return used
      case .malformed:
        send(answers.refusal(400), on: connection)
        return bytes.count
      case .whole(let head, let length):
        used += length
        let (action, delay) = answers.answer(head, isFirst: &connection.isFirst)
        if let delay {
          connection.phase = .waiting(action)
          setTimer(for: connection, at: .now + delay)
        } else {
          act(action, on: connection)
        }
      }
    }
    return used
  }

  // MARK: Answers

  private func act(_ action: OriginAnswers.Action, on connection: OriginConnection) {
    switch action {
    case .send(let reply): send(reply, on: connection)
    case .hang: connection.phase = .hanging
    case .reset:
      connection.armReset()
      drop(connection)
    }
  }

  private func send(_ reply: OriginReply, on connection: OriginConnection) {
    connection.begin(reply)
    push(connection, reply)
  }

  /// Goes on with an answer, and with the requests behind it.
  private func proceed(_ connection: OriginConnection, _ reply: OriginReply) {
    push(connection, reply)
    serveInput(connection)
  }

  private func push(_ connection: OriginConnection, _ reply: OriginReply) {
    switch connection.send(reply, counting: &answers.ledger.bytes) {
    case .done:
      if reply.isLast { return leave(connection) }
      connection.phase = .reading
      if connection.isWatchedForWriting { watch(connection, forWriting: false) }
    case .blocked:
      if !connection.isWatchedForWriting { watch(connection, forWriting: true) }
    case .paused(let moment):
      if connection.isWatchedForWriting { watch(connection, forWriting: false) }
      setTimer(for: connection, at: moment)
    case .failed: drop(connection)
    }
  }
}
