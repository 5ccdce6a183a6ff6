/// Hands out a bounded number of slots to groups in turn, first come first served within a group. Pure.
///
/// A group that holds slots is given another only while more are free than it holds. So groups that never give a slot back (hosts
/// that hang, zones whose name server is silent) cannot take them all: with `n` of them about `slots / (n + 1)` stay free for
/// everybody else, and a group that holds nothing gets any slot that is free.
struct FairQueue<Group: Hashable, Item: Equatable> {
  private struct Line {
    var running = 0
    var waiting = Fifo<Item>()
  }

  /// Slots in all.
  let slots: Int
  /// Most slots for one group.
  let slotsPerGroup: Int
  /// Slots taken.
  private(set) var running = 0
  /// Items waiting.
  private(set) var waiting = 0
  private var lines: [Group: Line] = [:]
  private var turns = Fifo<Group>()  // Every group with someone waiting, once.

  /// With `slots` in all, at least 1, and `slotsPerGroup` of them, at least 1, for one group.
  init(slots: Int, slotsPerGroup: Int) {
    self.slots = max(1, slots)
    self.slotsPerGroup = max(1, slotsPerGroup)
  }

  /// Whether a group holds as many slots as one group may ever hold.
  func isFull(_ group: Group) -> Bool { lines[group].map { $0.running >= slotsPerGroup } ?? false }

  /// Puts an item in its group's line: last, or first where it has waited its turn before.
  mutating func add(_ item: Item, to group: Group, first: Bool = false) {
    var line = lines[group] ?? Line()
    if line.waiting.isEmpty { turns.append(group) }
    first ? line.waiting.prepend(item) : line.waiting.append(item)
    lines[group] = line
    waiting += 1
  }

  /// Takes a slot for the next item whose group may have one; nil if there is none.
  mutating func next() -> Item? {
    guard running < slots else { return nil }
    for _ in 0..<turns.count {
      guard let group = turns.popFirst(), var line = lines[group] else { continue }
      guard line.running < slotsPerGroup, line.running < slots - running, let item = line.waiting.popFirst() else {
        turns.append(group)
        continue
      }
      line.running += 1
      running += 1
      waiting -= 1
      lines[group] = line
      if !line.waiting.isEmpty { turns.append(group) }
      return item
    }
    return nil
  }

  /// Gives a slot of the group back.
  mutating func release(_ group: Group) {
    guard var line = lines[group], line.running > 0 else { preconditionFailure("a slot is given back once") }
    line.running -= 1
    running -= 1
    lines[group] = line.running == 0 && line.waiting.isEmpty ? nil : line
  }

  /// Takes a waiting item out of its line; false if it is not there.
  mutating func remove(_ item: Item, from group: Group) -> Bool {
    guard var line = lines[group], line.waiting.removeFirst(where: { $0 == item }) else { return false }
    waiting -= 1
    if line.waiting.isEmpty { _ = turns.removeFirst { $0 == group } }
    lines[group] = line.running == 0 && line.waiting.isEmpty ? nil : line
    return true
  }
}
