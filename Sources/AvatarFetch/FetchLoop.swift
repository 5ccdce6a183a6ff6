import AvatarCore

/// The loop that runs every fetch on one thread. Made, used and ended on that thread; others reach it through the mailbox.
///
/// A fetch takes a place in the waiting room, has its host looked up, waits its turn for a slot, and runs hop after hop. A look-up holds
/// no slot, so silent name servers leave the slots to the others; a hop to another host gives its slot back and waits its turn again.
final class FetchLoop {
  /// How often clocks are compared while something is going on; deadlines in the queue are held to this. libcurl's own are exact.
  static let sweepMilliseconds: Int32 = 50
  private static let idleMilliseconds: Int32 = 60_000
  let options: FetchOptions
  private let names: any InternationalNames
  let clock: any WallClock
  private let lookup: any NameLookup
  private let mailbox: Mailbox
  let multi: CurlMulti
  var exchanges: [UInt64: Exchange] = [:]
  private var lastID: UInt64 = 0
  var room: WaitingRoom<Host>
  var queue: FairQueue<Host, UInt64>
  var table: NameTable<UInt64>
  private var idleHandles: [CurlEasy] = []
  var counts = FetchStatistics()
  var lastSweep = ContinuousClock.now

  init(
    options: FetchOptions, names: any InternationalNames, clock: any WallClock, lookup: any NameLookup,
    mailbox: Mailbox, multi: CurlMulti
  ) {
    self.options = options
    self.names = names
    self.clock = clock
    self.lookup = lookup
    self.mailbox = mailbox
    self.multi = multi
    room = WaitingRoom(places: options.queue)
    queue = FairQueue(slots: options.concurrency, slotsPerGroup: options.perHostConcurrency)
    table = NameTable(lookups: options.lookups)
  }

  /// Runs until the mailbox is closed, then fails whatever is on its way.
  ///
  /// What an answer resumes goes on here, but for crowds: the thread has its turn after all others.
  func run() { ThreadTurns.serve(mostJobs: 4, run) }

  private func run(_ turns: ThreadTurns) {
    while true {
      let (letters, isOpen) = mailbox.collect()
      for letter in letters {
        read(letter)
        startWhatMayStart()  // Each at once: who finds a free slot does not wait, and takes nobody's place.
      }
      guard isOpen else { break }
      multi.perform()
      while let (easy, code) = multi.nextFinished() { end(easy, code) }
      sweep()
      startWhatMayStart()
      counts.running = queue.running
      counts.waiting = room.count
      counts.lookups = table.running
      mailbox.show(counts)
      turns.end()
      multi.wait(milliseconds: exchanges.isEmpty ? Self.idleMilliseconds : Self.sweepMilliseconds)
    }
    for exchange in exchanges.values {
      finish(exchange, .failure(AvatarError(.overloaded, "the service is ending")))
    }
    idleHandles = []
    multi.close()
  }

  private func read(_ letter: Mailbox.Letter) {
    switch letter {
    case .fetch(let submission):
      lastID += 1
      let exchange = Exchange(id: lastID, submission, now: .now, wallTime: clock.now)
      exchanges[lastID] = exchange
      beginHop(exchange)
    case .lookedUp(let name, let outcome, let took):
      for waiter in table.finish(name, outcome, now: .now) {
        guard let exchange = exchanges[waiter] else { continue }
        exchange.spent += elapsed(in: exchange)
        switch outcome {
        case .found(let addresses):
          judge(addresses, for: exchange, took: took)
        case .failed(let code):
          fail(exchange, .originUnreachable, "look-up of \(name) failed: resolver \(code)")
        }
      }
    }
  }

  /// Judges the host, takes a place to wait and sees to the addresses.
  private func beginHop(_ exchange: Exchange) {
    let host = exchange.url.host
    guard options.hosts.allows(host) else { return fail(exchange, .hostNotAllowed, host.text) }
    if case .address(let address) = host, case .refused(let reason) = options.addresses.verdict(on: address) {
      counts.addressesRefused += 1
      exchange.trace("address", [("address", address.text), ("verdict", "refused: \(reason)")])
      return fail(exchange, .addressNotAllowed, "\(address.text): \(reason)")
    }
    guard room.enter(host) else {
      counts.shed += 1
      return finish(exchange, .failure(AvatarError(.overloaded, "too many fetches wait", retryAfter: .seconds(1))))
    }
    exchange.place = host
    exchange.addresses = nil
    guard case .name(let name) = host, options.proxy == nil else { return line(up: exchange) }
    let now = ContinuousClock.now
    switch table.ask(name, for: exchange.id, now: now) {
    case .known(let addresses): judge(addresses, for: exchange, took: nil)
    case .pending: exchange.stage = .lookingUp(since: now)
    }
  }

  /// Leaves only what may be connected to.
  private func judge(_ addresses: [IPAddress], for exchange: Exchange, took: Duration?) {
    var allowed: [IPAddress] = []
    var reasons: [String] = []
    for address in addresses {
      var text = "allowed"
      if case .refused(let reason) = options.addresses.verdict(on: address) {
        text = "refused: \(reason)"
        reasons.append("\(address.text): \(reason)")
      } else {
        allowed.append(address)
      }
      exchange.trace(
        "address",
        [("name", exchange.url.host.text), ("address", address.text), ("verdict", text)]
          + (took.map { [("lookup", "\($0.milliseconds) ms")] } ?? []))
    }
    counts.addressesRefused += reasons.count
    guard !allowed.isEmpty else { return fail(exchange, .addressNotAllowed, reasons.joined(separator: ", ")) }
    exchange.addresses = allowed
    line(up: exchange)
  }

  private func line(up exchange: Exchange) {
    exchange.stage = .queued
    queue.add(exchange.id, to: exchange.url.host, first: exchange.redirects > 0)
  }

  private func startWhatMayStart() {
    while let id = queue.next() {
      guard let exchange = exchanges[id] else { preconditionFailure("what waits is there") }
      leaveRoom(exchange)
      start(exchange)
    }
    while let name = table.nextLookup() {
      let began = NamedThread.start("avatar-lookup") { [lookup, mailbox] in
        let start = ContinuousClock.now
        let outcome = lookup.addresses(of: name)
        _ = mailbox.post(.lookedUp(name: name, outcome, took: .now - start))
      }
      if !began { read(.lookedUp(name: name, .failed(LookupOutcome.noThread), took: .zero)) }
    }
  }

  /// Hands a hop to libcurl; the exchange holds a slot of its host.
  private func start(_ exchange: Exchange) {
    let now = ContinuousClock.now
    guard exchange.submission.deadline > now else {
      queue.release(exchange.url.host)
      exchange.stage = .arrived
      return fail(exchange, .originTimedOut, "no time left")
    }
    do throws(AvatarError) {
      let easy =
        if let idle = idleHandles.popLast() { idle } else {
          try CurlEasy(options: options, clock: clock, book: multi.book)
        }
      easy.exchange = exchange.id
      exchange.stage = .running(easy, since: now)
      exchange.requestedAt = clock.now
      try easy.prepare(exchange.hop(options, now: now))
      guard multi.add(easy) else { throw AvatarError(.internalFault, "libcurl takes no transfer") }
    } catch {
      queue.release(exchange.url.host)
      exchange.stage = .arrived
      finish(exchange, .failure(error))
    }
  }

  /// A hop is over.
  func end(_ easy: CurlEasy, _ code: UInt32) {
    guard let exchange = exchanges[easy.exchange] else { preconditionFailure("a transfer belongs to an exchange") }
    exchange.spent += elapsed(in: exchange)
    exchange.stage = .arrived
    let facts = easy.facts(isTraced: exchange.isTraced)
    let verdict = HopVerdict(code: code, sink: easy.sink, facts: facts, exchange: exchange)
    count(easy.sink, facts)
    HopTrace.report(exchange, easy.sink, facts)
    if code == CurlCode.couldNotConnect, case .name(let name) = exchange.url.host { table.forget(name) }
    defer {
      easy.exchange = 0
      easy.sink.clear()
      idleHandles.append(easy)
    }
    switch verdict {
    case .askPlainly:
      exchange.takesBodyAsItIs = true
      start(exchange)
    case .askAfresh:
      exchange.needsNewConnection = true
      start(exchange)
    case .redirected(let location):
      follow(location, from: exchange, status: easy.sink.head?.status)
    case .found, .notModified:
      queue.release(exchange.url.host)
      finish(exchange, .success(answer(of: exchange, easy.sink)))
    case .failed(let error):
      queue.release(exchange.url.host)
      finish(exchange, .failure(error))
    }
  }

  private func follow(_ location: [UInt8], from exchange: Exchange, status: Int?) {
    let host = exchange.url.host
    do throws(AvatarError) {
      guard exchange.redirects < options.maxRedirects else {
        throw AvatarError(.originRedirect, "more than \(options.maxRedirects) redirects", originStatus: status)
      }
      exchange.url = try exchange.url.redirected(to: location, names: names)
    } catch {
      queue.release(host)
      return finish(exchange, .failure(error))
    }
    exchange.redirects += 1
    exchange.takesBodyAsItIs = false
    exchange.needsNewConnection = false
    // The same host under the same rules: the slot and the addresses hold on.
    if exchange.url.host == host { return start(exchange) }
    queue.release(host)
    beginHop(exchange)
  }

  private func answer(of exchange: Exchange, _ sink: AnswerSink) -> OriginResponse {
    let head = sink.head ?? AnswerHead(status: 200, isHTTP1: true)
    return OriginResponse(
      status: head.status == 304 ? 304 : 200, headers: head.fields,
      source: head.status == 304 ? SourceBytes() : sink.takeBody(),
      finalURL: exchange.url, redirects: exchange.redirects, requestedAt: exchange.requestedAt,
      receivedAt: sink.receivedAt ?? exchange.requestedAt, elapsed: exchange.spent)
  }

  func elapsed(in exchange: Exchange) -> Duration {
    switch exchange.stage {
    case .lookingUp(let since), .running(_, let since): .now - since
    case .arrived, .queued: .zero
    }
  }

  private func count(_ sink: AnswerSink, _ facts: HopFacts) {
    counts.hops += 1
    counts.connectionsOpened += facts.newConnections
    if facts.newConnections == 0, sink.head != nil { counts.connectionsReused += 1 }
    counts.addressesRefused += sink.refused.count
    counts.bytes += sink.body.count
  }

  private func leaveRoom(_ exchange: Exchange) {
    guard let host = exchange.place else { return }
    room.leave(host)
    exchange.place = nil
  }

  func fail(_ exchange: Exchange, _ code: AvatarError.Code, _ detail: String) {
    finish(exchange, .failure(AvatarError(code, detail)))
  }

  func finish(_ exchange: Exchange, _ result: Result<OriginResponse, AvatarError>) {
    leaveRoom(exchange)
    exchanges[exchange.id] = nil
    if case .failure(let error) = result {
      exchange.trace("error", [("code", error.code.rawValue), ("detail", error.detail)])
    }
    exchange.submission.continuation.resume(returning: result)
  }
}
