import AvatarCore

/// Remembers the addresses of names for a while, and which fetches wait for which look-up. Pure; `now` is handed in.
///
/// Look-ups of one zone (the last two labels) take turns with other zones and hold at most a quarter of the look-up slots, so that a
/// zone whose name server is silent delays nobody else.
struct NameTable<Waiter: Hashable> {
  private struct Known {
    var addresses: [IPAddress]
    var expires: ContinuousClock.Instant
  }

  /// What a name's state is.
  enum Answer: Equatable {
    /// Looked up less than `lifetime` ago.
    case known([IPAddress])
    /// The waiter is noted; it is told when the look-up ends.
    case pending
  }

  /// How long an answer is used. Short, as the resolver does not tell the record's own lifetime.
  static var lifetime: Duration { .seconds(60) }
  /// Names remembered; the oldest answers go first.
  let capacity: Int
  private var known: [String: Known] = [:]
  private var order = Fifo<String>()  // Every known name, once.
  private var waiters: [String: Set<Waiter>] = [:]
  private var started: Set<String> = []
  private var queue: FairQueue<String, String>

  /// With `lookups` slots.
  init(lookups: Int, capacity: Int = 8192) {
    self.capacity = capacity
    queue = FairQueue(slots: lookups, slotsPerGroup: max(1, lookups / 4))
  }

  /// Look-ups that run.
  var running: Int { queue.running }

  /// The addresses of `name`, or a place in the line for them.
  mutating func ask(_ name: String, for waiter: Waiter, now: ContinuousClock.Instant) -> Answer {
    if let loopback = Self.loopback(name) { return .known(loopback) }
    if let entry = known[name], entry.expires > now { return .known(entry.addresses) }
    if waiters[name] == nil, !started.contains(name) { queue.add(name, to: Self.zone(of: name)) }
    waiters[name, default: []].insert(waiter)
    return .pending
  }

  /// The next name to look up; the caller ends it with `finish`.
  mutating func nextLookup() -> String? {
    guard let name = queue.next() else { return nil }
    started.insert(name)
    return name
  }

  /// Ends a look-up; gives everyone who still waits for it.
  mutating func finish(_ name: String, _ outcome: LookupOutcome, now: ContinuousClock.Instant) -> Set<Waiter> {
    started.remove(name)
    queue.release(Self.zone(of: name))
    if case .found(let addresses) = outcome { remember(addresses, of: name, now: now) }
    return waiters.removeValue(forKey: name) ?? []
  }

  /// Takes a waiter back out. Returns whether its look-up had begun; one that had not, and that nobody else waits for, never will.
  mutating func abandon(_ name: String, by waiter: Waiter) -> Bool {
    waiters[name]?.remove(waiter)
    let hasBegun = started.contains(name)
    if waiters[name]?.isEmpty ?? true {
      waiters[name] = nil
      if !hasBegun { _ = queue.remove(name, from: Self.zone(of: name)) }
    }
    return hasBegun
  }

  /// Forgets a name whose addresses did not answer, so that the next fetch asks again.
  mutating func forget(_ name: String) {
    guard known.removeValue(forKey: name) != nil else { return }
    _ = order.removeFirst { $0 == name }
  }

  private mutating func remember(_ addresses: [IPAddress], of name: String, now: ContinuousClock.Instant) {
    forget(name)
    if known.count >= capacity, let oldest = order.popFirst() { known[oldest] = nil }
    known[name] = Known(addresses: addresses, expires: now + Self.lifetime)
    order.append(name)
  }

  /// RFC 6761 section 6.3: these names are loopback and are never asked of a name server, whatever it would say.
  private static func loopback(_ name: String) -> [IPAddress]? {
    let bare = name.hasSuffix(".") ? name.dropLast() : name[...]
    return bare == "localhost" || bare.hasSuffix(".localhost") ? [.v4(0x7F00_0001), .v6(high: 0, low: 1)] : nil
  }

  private static func zone(of name: String) -> String {
    name.split(separator: ".").suffix(2).joined(separator: ".")
  }
}
