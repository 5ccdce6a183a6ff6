import AvatarCore

/// Who is next: retries on a fresh worker first, then what somebody waits for, then what is done ahead of time; first in, first
/// out within each, but that large pictures let small ones pass where there is no worker for another large one. A pure value:
/// the time is handed in, and what leaves early is handed back to be told so.
struct WorkQueue<Job> {
  /// How an attempt to queue went.
  enum Admission { case queued, full }

  private struct Waiting {
    let number: UInt64
    let deadline: Deadline
    let job: Job
  }

  private let capacity: Int
  private var interactive = Lanes()
  private var background = Lanes()
  private var retries = Lane()
  /// No waiting job's deadline is before this; it saves looking at all of them each time.
  private var noneBefore: Deadline?

  init(capacity: Int) { self.capacity = capacity }

  /// Jobs that wait, retries included.
  var count: Int { interactive.count + background.count + retries.count }
  /// Whether a job waits for a fresh worker.
  var hasRetries: Bool { retries.count > 0 }
  /// The moment at which `expire` may find something, nil with nothing queued.
  var nextExpiry: Deadline? { count == 0 ? nil : noneBefore }

  /// Queues a job. `idle` workers are about to take one each, so that many more than the capacity are let in. Background work gets
  /// at most half the room: what somebody waits for always finds the other half.
  mutating func enqueue(
    _ job: Job, number: UInt64, priority: WorkPriority, isLarge: Bool = false, deadline: Deadline, idle: Int
  ) -> Admission {
    let room = capacity + idle
    guard interactive.count + background.count < room else { return .full }
    if priority == .background && background.count >= max(1, room / 2) { return .full }
    let waiting = Waiting(number: number, deadline: deadline, job: job)
    if priority == .interactive {
      interactive.append(waiting, isLarge: isLarge)
    } else {
      background.append(waiting, isLarge: isLarge)
    }
    note(deadline)
    return .queued
  }

  /// Queues a job again after its worker died; it had its place before, so the bound does not count it.
  mutating func enqueueRetry(_ job: Job, number: UInt64, deadline: Deadline) {
    retries.append(Waiting(number: number, deadline: deadline, job: job))
    note(deadline)
  }

  /// The next job for an idle worker. Retries go to fresh workers only: what killed one may have been left behind by the image before.
  mutating func next(isFresh: Bool, mayTakeBackground: Bool, mayTakeLarge: Bool) -> Job? {
    if isFresh, let waiting = retries.popFirst() { return waiting.job }
    if let waiting = interactive.popFirst(mayTakeLarge) { return waiting.job }
    if mayTakeBackground, let waiting = background.popFirst(mayTakeLarge) { return waiting.job }
    return nil
  }

  /// Takes out every job whose deadline is at or before `now`.
  mutating func expire(now: ContinuousClock.Instant) -> [Job] {
    guard let earliest = nextExpiry, earliest.instant <= now else { return [] }
    let expired = remove { $0.deadline.instant <= now }
    noneBefore = (interactive.all + background.all + retries.all).map(\.deadline).min()
    return expired
  }

  /// Takes out one job; nil if it does not wait any more.
  mutating func remove(number: UInt64) -> Job? { remove { $0.number == number }.first }

  /// Takes out everything.
  mutating func removeAll() -> [Job] { remove { _ in true } }

  private mutating func remove(where isLeaving: (Waiting) -> Bool) -> [Job] {
    retries.remove(where: isLeaving) + interactive.remove(where: isLeaving) + background.remove(where: isLeaving)
  }

  private mutating func note(_ deadline: Deadline) { noneBefore = min(noneBefore ?? deadline, deadline) }

  /// Small and large pictures of one urgency, each in its order.
  private struct Lanes {
    private var small = Lane()
    private var large = Lane()

    var count: Int { small.count + large.count }
    var all: [Waiting] { small.all + large.all }

    mutating func append(_ item: Waiting, isLarge: Bool) {
      if isLarge { large.append(item) } else { small.append(item) }
    }

    /// Whichever came first, but no large one unless it may be taken.
    mutating func popFirst(_ mayTakeLarge: Bool) -> Waiting? {
      guard mayTakeLarge, let large = large.first else { return small.popFirst() }
      if let small = small.first, small.number < large.number { return self.small.popFirst() }
      return self.large.popFirst()
    }

    mutating func remove(where isLeaving: (Waiting) -> Bool) -> [Job] {
      small.remove(where: isLeaving) + large.remove(where: isLeaving)
    }
  }

  /// First in, first out, at amortized constant cost.
  private struct Lane {
    private var items: [Waiting?] = []
    private var head = 0

    var count: Int { items.count - head }
    var all: [Waiting] { items[head...].compactMap(\.self) }
    var first: Waiting? { head < items.count ? items[head] : nil }

    mutating func append(_ item: Waiting) { items.append(item) }

    mutating func popFirst() -> Waiting? {
      guard head < items.count else { return nil }
      defer {
        items[head] = nil
        head += 1
        if head == items.count || head >= 1024 {
          items.removeFirst(head)
          head = 0
        }
      }
      return items[head]
    }

    mutating func remove(where isLeaving: (Waiting) -> Bool) -> [Job] {
      let present = all
      let leaving = present.filter(isLeaving)
      if leaving.isEmpty { return [] }
      items = present.filter { !isLeaving($0) }
      head = 0
      return leaving.map(\.job)
    }
  }
}
