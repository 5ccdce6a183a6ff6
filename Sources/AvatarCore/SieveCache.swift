/// A bounded table that keeps what is used: SIEVE eviction, by which a hit only sets a bit and one pass of rare keys ends nothing popular.
///
/// Entries stand in a ring in the order that they came. To make room a hand walks from old to new: it spares each entry that was looked up
/// since it last passed, and takes the bit; it evicts the first that was not. Index-linked slots, no allocation for each entry;
/// the table keeps the slots of its largest fill. (Zhang et al., NSDI 2024.)
///
/// Inlinable as far as every hit goes: called through the generic form, a look-up costs three times as much, most of it for
/// finding out again and again what a slot of this key and value looks like.
public struct SieveCache<Key: Hashable, Value> {
  @usableFromInline struct Slot {
    @usableFromInline let key: Key
    @usableFromInline var value: Value
    // Beside what every look-up reads: mostly in the same line of memory. What follows is kept small for the same reason.
    @usableFromInline var isVisited: Bool
    var cost: UInt32
    /// Towards the newest; `none` at the newest.
    var newer: Int32
    /// Towards the oldest; `none` at the oldest.
    var older: Int32

    /// In place: reading one field of an optional slot in an array copies all of it, references and all.
    @inlinable mutating func use(for asked: Key) -> Value? {
      guard key == asked else { return nil }
      // Not written again once set: a popular entry's slot is only read.
      if !isVisited { isVisited = true }
      return value
    }
  }

  private static var none: Int32 { -1 }

  /// The most that all entries may cost together.
  public let capacity: Int
  /// What the entries cost together.
  public private(set) var totalCost = 0
  @usableFromInline var slots: [Slot?] = []
  private var free: [Int32] = []
  @usableFromInline var table = PositionTable()
  private var newest = Self.none
  private var oldest = Self.none
  private var hand = Self.none
  private let takeUse: @Sendable (Value) -> Bool

  /// An empty cache; `capacity` in the unit of the costs, 0 or more. Values that are also used past the table say with `takeUse` whether they
  /// were since they were last asked.
  public init(capacity: Int, takeUse: @escaping @Sendable (Value) -> Bool = { _ in false }) {
    precondition(capacity >= 0)
    self.capacity = capacity
    self.takeUse = takeUse
  }

  /// How many entries there are.
  public var count: Int { table.count }

  /// The key's value; notes that it was used.
  @inlinable public mutating func lookup(_ key: Key) -> Value? {
    var probe = table.probe(key.hashValue)
    while let position = table.next(&probe) {
      if let value = slots[position]?.use(for: key) { return value }
    }
    return nil
  }

  /// The key's value, without a note of its use.
  public func peek(_ key: Key) -> Value? {
    position(of: key).flatMap { slots[$0]?.value }
  }

  private func position(of key: Key) -> Int? {
    var probe = table.probe(key.hashValue)
    while let position = table.next(&probe) {
      if slots[position]?.key == key { return position }
    }
    return nil
  }

  /// Keeps `value`, in its place if the key is there already (its use stays noted), as the newest otherwise; gives what was evicted
  /// or replaced, so that it can be released outside a lock. Costs are 1 or more; a value that costs more than the whole
  /// capacity, or 4 GiB, is not kept, nor is what it would have replaced, and it is the last of what is given back.
  @discardableResult
  public mutating func insert(_ value: Value, for key: Key, cost: Int = 1) -> [Value] {
    precondition(cost > 0)
    guard cost <= capacity, let small = UInt32(exactly: cost) else {
      return (remove(key).map { [$0] } ?? []) + [value]
    }
    var released: [Value] = []
    if let position = position(of: key) {
      if let slot = slots[position] {
        released.append(slot.value)
        totalCost -= Int(slot.cost)
        if takeUse(slot.value) { slots[position]?.isVisited = true }
      }
      slots[position]?.value = value
      slots[position]?.cost = small
      makeRoom(for: cost, sparing: Int32(position), into: &released)
      totalCost += cost
      return released
    }
    makeRoom(for: cost, sparing: Self.none, into: &released)
    let slot = Slot(key: key, value: value, isVisited: false, cost: small, newer: Self.none, older: newest)
    let position: Int32
    if let last = free.popLast() {
      position = last
      slots[Int(position)] = slot
    } else {
      position = Int32(slots.count)
      slots.append(slot)
    }
    if newest != Self.none { slots[Int(newest)]?.newer = position } else { oldest = position }
    newest = position
    table.insert(Int(position), hash: key.hashValue)
    totalCost += cost
    return released
  }

  /// Takes an entry out.
  @discardableResult
  public mutating func remove(_ key: Key) -> Value? {
    position(of: key).flatMap { unlink($0)?.value }
  }

  /// Takes out all entries for which `predicate` holds, and gives their values.
  @discardableResult
  public mutating func removeAll(where predicate: (Key, Value) throws -> Bool) rethrows -> [Value] {
    var released: [Value] = []
    for position in slots.indices {
      guard let slot = slots[position], try predicate(slot.key, slot.value) else { continue }
      if let slot = unlink(position) { released.append(slot.value) }
    }
    return released
  }

  /// Calls `body` with each entry, in no order, without a note of its use.
  public func forEach(_ body: (Key, Value) throws -> Void) rethrows {
    for case let slot? in slots { try body(slot.key, slot.value) }
  }

  private mutating func makeRoom(for cost: Int, sparing spared: Int32, into released: inout [Value]) {
    // Ends: an entry is spared once before the hand evicts one, even one that is used past the table meanwhile; and `cost` alone fits.
    var mercies = count
    while totalCost > capacity - cost {
      if hand == Self.none { hand = oldest }
      let position = Int(hand)
      guard let slot = slots[position] else { preconditionFailure("the hand points at an empty slot") }
      if hand == spared {
        hand = slot.newer
      } else if takeUse(slot.value) || slot.isVisited, mercies > 0 {
        mercies -= 1
        slots[position]?.isVisited = false
        hand = slot.newer
      } else if let evicted = unlink(position) {
        released.append(evicted.value)
      }
    }
  }

  private mutating func unlink(_ position: Int) -> Slot? {
    guard let slot = slots[position] else { return nil }
    if slot.newer != Self.none { slots[Int(slot.newer)]?.older = slot.older } else { newest = slot.older }
    if slot.older != Self.none { slots[Int(slot.older)]?.newer = slot.newer } else { oldest = slot.newer }
    if hand == position { hand = slot.newer }
    slots[position] = nil
    free.append(Int32(position))
    table.remove(position, hash: slot.key.hashValue)
    totalCost -= Int(slot.cost)
    return slot
  }
}

extension SieveCache: Sendable where Key: Sendable, Value: Sendable {}
extension SieveCache.Slot: Sendable where Key: Sendable, Value: Sendable {}
