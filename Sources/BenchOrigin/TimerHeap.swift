/// Moments in order of time, each with a token. One that is no longer wanted stays in until its moment.
struct TimerHeap {
  struct Entry {
    let moment: ContinuousClock.Instant
    let token: UInt64
    /// Tells the owner's timers apart: only its newest counts.
    let serial: UInt64
  }

  private var entries: [Entry] = []

  var earliest: ContinuousClock.Instant? { entries.first?.moment }

  mutating func add(_ entry: Entry) {
    entries.append(entry)
    var index = entries.count - 1
    while index > 0, entries[index].moment < entries[(index - 1) / 2].moment {
      entries.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  /// Takes out the earliest one if its moment has come.
  mutating func take(until now: ContinuousClock.Instant) -> Entry? {
    guard let first = entries.first, first.moment <= now else { return nil }
    let last = entries.removeLast()
    guard !entries.isEmpty else { return first }
    entries[0] = last
    var index = 0
    while true {
      var least = index
      for child in [2 * index + 1, 2 * index + 2]
      where child < entries.count && entries[child].moment < entries[least].moment { least = child }
      if least == index { return first }
      entries.swapAt(index, least)
      index = least
    }
  }
}
