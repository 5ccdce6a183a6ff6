import AvatarCore
import CLinux
import Glibc

/// One sending thread: its connections, one epoll, and when the next request is due.
///
/// The thread belongs to it alone; what it saw is taken when it has ended.
final class LoadLoop {
  private let plan: LoadPlan
  private let begin: UInt64
  private let end: UInt64
  private let share: (index: Int, of: Int)
  private var poller: Int32
  private var connections: [LoadConnection] = []
  private var free: [Int] = []
  private var picker: RequestPicker
  /// Requests taken from the schedule so far.
  private var due = 0
  private var waiting = 0
  private var outcome = LoadOutcome()
  /// Answers by status, and the right one that came last: a table of either costs more than the rest of the reckoning.
  private var statuses = [Int](repeating: 0, count: 1000)
  private var usual = 0
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
  private var tokens = [UInt64](repeating: 0, count: LoadLoop.batch)
  private var readiness = [Int32](repeating: 0, count: LoadLoop.batch)
  private static let batch = 64

  init(plan: LoadPlan, begin: UInt64, share: (index: Int, of: Int)) {
    self.plan = plan
    self.begin = begin
    self.share = share
    end = begin + UInt64(max(plan.duration.nanoseconds, 0))
    poller = linux_poller()
    picker = RequestPicker(order: plan.order, count: plan.book.count, share: share)
    let own = (plan.connections + share.of - 1 - share.index) / share.of
    connections = (0..<own).map { _ in LoadConnection() }
    free = Array(connections.indices.reversed())
  }

  deinit {
    for connection in connections where connection.socket >= 0 { close(connection.socket) }
    if poller >= 0 { close(poller) }
    buffer.deallocate()
  }

  /// Sends until the plan's end and waits for what is under way.
  func run() -> LoadOutcome {
    linux_precise_sleep()
    // Sending when it is due goes before work that can wait a moment; elsewhere the generator would be another machine.
    ThreadUrgency.prompt.apply()
    let cpu = Nanoseconds.ofThisThread
    connectAhead()
    sleepUntilBegin()
    let limit = UInt64(plan.answerLimit.nanoseconds)
    while true {
      let now = Nanoseconds.now
      send(now: now)
      if isDone(now: now) { break }
      if now > end + limit {
        abandon(now: now)
        break
      }
      wait(now: now)
    }
    outcome.generatorCPU = Nanoseconds.ofThisThread - cpu
    outcome.elapsed = Nanoseconds.now - begin
    for (status, count) in statuses.enumerated() where count > 0 { outcome.statuses[status] = count }
    return outcome
  }

  // MARK: Sending

  /// Kept connections are there before the first request is due: what is measured is the answer.
  private func connectAhead() {
    guard !plan.opensNewConnections else { return }
    for index in connections.indices { _ = open(index, waits: true) }
  }

  private func sleepUntilBegin() {
    var moment = timespec(tv_sec: Int(begin / 1_000_000_000), tv_nsec: Int(begin % 1_000_000_000))
    while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, nil) == EINTR {}
  }

  /// Sends what is due now, as far as connections are free.
  private func send(now: UInt64) {
    while let index = free.last, let start = nextStart(now: now), let request = picker.next() {
      free.removeLast()
      due += 1
      if case .open = plan.arrivals, waitedForNobody { outcome.lag.record(now - start) }
      begin(request, on: index, start: start, now: now)
    }
    waitedForNobody = !free.isEmpty
  }
  /// Whether connections were free when the loop last looked: only then is a late sending its own fault.
  private var waitedForNobody = true

  /// When the next request is due, if it is by now; nil if none is.
  private func nextStart(now: UInt64) -> UInt64? {
    switch plan.arrivals {
    case .closed: return now < end ? now : nil
    case .burst: return due < connections.count ? begin : nil
    case .open:
      let start = openStart(due)
      return start <= now && start < end ? start : nil
    }
  }

  private func openStart(_ number: Int) -> UInt64 {
    guard case .open(let perSecond) = plan.arrivals else { return end }
    return begin + UInt64((Double(number * share.of + share.index) * 1e9 / perSecond).rounded())
  }

  private func begin(_ request: Int, on index: Int, start: UInt64, now: UInt64) {
    connections[index].start = start
    connections[index].request = request
    connections[index].deadline = now + UInt64(plan.answerLimit.nanoseconds)
    waiting += 1
    if connections[index].socket < 0 {
      guard open(index, waits: false) else { return fail(index, .connect) }
    }
    transmit(index)
  }

  private func transmit(_ index: Int) {
    let request = connections[index].request
    let first = plan.book.offsets[request] + connections[index].sent
    let count = plan.book.offsets[request + 1] - first
    let sent = plan.book.bytes.withUnsafeBytes { bytes -> Int in
      guard let base = bytes.baseAddress else { return 0 }
      return Glibc.send(connections[index].socket, base + first, count, Int32(MSG_NOSIGNAL))
    }
    if sent == count {
      connections[index].sent = -1
      if connections[index].watchesWriting { watch(index, writing: false) }
    } else if sent >= 0 || errno == EAGAIN || errno == ENOTCONN || errno == EINPROGRESS {
      connections[index].sent += max(sent, 0)
      watch(index, writing: true)
    } else {
      fail(index, connections[index].isUsed ? .closed : .connect)
    }
  }

  private func open(_ index: Int, waits: Bool) -> Bool {
    guard let socket = plan.target.connect(waits: waits) else { return false }
    if waits { _ = fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK) }
    connections[index].opened(socket)
    return linux_poller_add(poller, socket, UInt64(index), 0) == 0
  }

  private func watch(_ index: Int, writing: Bool) {
    _ = linux_poller_change(poller, connections[index].socket, UInt64(index), writing ? 1 : 0)
    connections[index].watchesWriting = writing
  }

  // MARK: Receiving

  private func wait(now: UInt64) {
    let next = nextMoment(now: now)
    let found = linux_poller_wait_precisely(
      poller, &tokens, &readiness, Int32(Self.batch), next > now ? next - now : 0)
    guard found > 0 else { return expire(now: Nanoseconds.now) }
    for place in 0..<Int(found) {
      let index = Int(tokens[place])
      let bits = UInt32(bitPattern: readiness[place])
      guard connections[index].socket >= 0 else { continue }
      if bits & LINUX_WRITABLE.rawValue != 0, connections[index].sent >= 0 { transmit(index) }
      if bits & ~LINUX_WRITABLE.rawValue != 0, connections[index].socket >= 0 { receive(index) }
    }
  }

  /// Until when there is nothing to do: the next request, or a look at answers that are overdue.
  private func nextMoment(now: UInt64) -> UInt64 {
    let look = now + 50_000_000
    guard !free.isEmpty, !picker.isEmpty else { return look }
    switch plan.arrivals {
    case .closed, .burst: return look
    case .open:
      let start = openStart(due)
      return start < end ? min(look, start) : look
    }
  }

  private func receive(_ index: Int) {
    let received = recv(connections[index].socket, buffer.baseAddress, buffer.count, 0)
    if received < 0, errno == EAGAIN || errno == EINTR { return }
    // The server closed a kept connection between two requests.
    guard connections[index].isBusy else { return drop(index) }
    if received <= 0 {
      return connections[index].reader.isWholeAtEnd ? finish(index, keeps: false) : fail(index, .closed)
    }
    switch connections[index].take(UnsafeRawBufferPointer(rebasing: buffer[..<received])) {
    case .more: break
    case .whole(let used):
      let (status, closes) = (connections[index].reader.status, connections[index].reader.closes)
      if (100...199).contains(status) { return fail(index, .malformed) }
      // Bytes after the answer belong to nobody: the connection is of no further use.
      finish(index, keeps: used == received && !closes && !plan.opensNewConnections)
    case .malformed: fail(index, .malformed)
    }
  }

  private func finish(_ index: Int, keeps: Bool) {
    let start = connections[index].start
    let latency = Nanoseconds.now - start
    let status = connections[index].reader.status
    statuses[status] += 1
    outcome.bytes += connections[index].reader.bodyBytes
    if status == usual || plan.expected.contains(status) {
      usual = status
      outcome.latency.record(latency)
      outcome.timeline.record(start: start - begin, latency: latency)
      if connections[index].reader.isHit { outcome.hits += 1 }
    } else {
      outcome.wrong += 1
    }
    settle(index, keeps: keeps)
  }

  private func fail(_ index: Int, _ failure: LoadOutcome.Failure) {
    outcome.failures[failure, default: 0] += 1
    settle(index, keeps: false)
  }

  private func settle(_ index: Int, keeps: Bool) {
    waiting -= 1
    if keeps { connections[index].ready() } else { drop(index) }
    free.append(index)
  }

  private func drop(_ index: Int) {
    if connections[index].socket >= 0 { close(connections[index].socket) }
    connections[index].dropped()
  }

  // MARK: Ending

  private func expire(now: UInt64) {
    for index in connections.indices where connections[index].isBusy && connections[index].deadline <= now {
      fail(index, .late)
    }
  }

  private func isDone(now: UInt64) -> Bool {
    guard waiting == 0 else { return false }
    if picker.isEmpty { return true }
    switch plan.arrivals {
    case .closed: return now >= end
    case .burst: return due >= connections.count
    case .open: return openStart(due) >= end
    }
  }

  /// Counts what was due and never answered, so that a server that stands still does not look like one with little to do.
  private func abandon(now: UInt64) {
    for index in connections.indices where connections[index].isBusy { fail(index, .late) }
    guard case .open = plan.arrivals else { return }
    while openStart(due) < end, picker.next() != nil {
      due += 1
      outcome.failures[.late, default: 0] += 1
    }
  }
}
