import Testing

@testable import AvatarFetch

@Suite("Fair queue") struct FairQueueTests {
  @Test func `groups take turns and each keeps its own order`() {
    let queue = Queue<String, Int>(slots: 100, slotsPerGroup: 100)
    for item in 1...3 { queue.add(item, to: "a") }
    for item in 11...12 { queue.add(item, to: "b") }
    var order: [Int] = []
    while let item = queue.next() { order.append(item) }
    #expect(order == [1, 11, 2, 12, 3])
    #expect(queue.running == 5)
    #expect(queue.waiting == 0)
  }

  @Test func `a group never holds more than its bound`() {
    let queue = Queue<String, Int>(slots: 256, slotsPerGroup: 16)
    for item in 0..<40 { queue.add(item, to: "a") }
    var taken = 0
    while queue.next() != nil { taken += 1 }
    #expect(taken == 16)
    #expect(queue.isFull("a"))
    queue.release("a")
    #expect(!queue.isFull("a"))
    #expect(queue.next() == 16)
    #expect(queue.next() == nil)
  }

  @Test(arguments: [1, 2, 15, 16, 17, 64, 200]) func `groups that give nothing back leave slots for a new one`(
    hanging: Int
  ) {
    let queue = Queue<Int, Int>(slots: 256, slotsPerGroup: 16)
    for group in 0..<hanging { for item in 0..<32 { queue.add(item, to: group) } }
    while queue.next() != nil {}
    queue.add(777, to: -1)
    #expect(queue.next() == 777, "\(hanging) hanging groups hold \(queue.running) of \(queue.slots) slots")
  }

  @Test func `what waited before goes first`() {
    let queue = Queue<String, Int>(slots: 1, slotsPerGroup: 1)
    queue.add(1, to: "a")
    queue.add(2, to: "a", first: true)
    #expect(queue.next() == 2)
    #expect(queue.next() == nil)
    queue.release("a")
    #expect(queue.next() == 1)
  }

  @Test func `what is taken out is not handed out`() {
    let queue = Queue<String, Int>(slots: 4, slotsPerGroup: 4)
    queue.add(1, to: "a")
    queue.add(2, to: "a")
    queue.add(3, to: "b")
    #expect(queue.remove(1, from: "a"))
    #expect(!queue.remove(1, from: "a"))
    #expect(queue.remove(3, from: "b"))
    #expect(queue.next() == 2)
    #expect(queue.next() == nil)
    #expect(queue.waiting == 0)
  }

  @Test func `random histories keep the bounds and lose nobody`() {
    let seed = UInt64.random(in: 1...(.max))
    var random = Seeded(state: seed)
    let queue = Queue<Int, Int>(slots: 8, slotsPerGroup: 3)
    var waiting: [Int: [Int]] = [:]
    var running: [Int: Int] = [:]
    for item in 0..<5000 {
      let group = Int(random.next() % 6)
      switch random.next() % 4 {
      case 0, 1:
        queue.add(item, to: group)
        waiting[group, default: []].append(item)
      case 2:
        if let taken = queue.next() {
          let owner = waiting.first { $0.value.first == taken }?.key
          #expect(owner != nil, "seed \(seed): \(taken) came out of turn")
          if let owner {
            waiting[owner]?.removeFirst()
            running[owner, default: 0] += 1
          }
        }
      default:
        if running[group, default: 0] > 0 {
          queue.release(group)
          running[group, default: 0] -= 1
        }
      }
      #expect(queue.running == running.values.reduce(0, +) && queue.running <= 8, "seed \(seed)")
      #expect(running.values.allSatisfy { $0 <= 3 }, "seed \(seed)")
      #expect(queue.waiting == waiting.values.map(\.count).reduce(0, +), "seed \(seed)")
    }
  }

  @Test func `one group never fills the waiting room`() {
    let room = Room<String>(places: 100)
    var entered = 0
    while room.enter("greedy") { entered += 1 }
    #expect(entered == 50)
    #expect(room.enter("modest"))
    for _ in 0..<entered { room.leave("greedy") }
    #expect(room.count == 1)
    #expect(room.enter("greedy"))
  }

  @Test func `a room without places lets nobody in`() {
    let room = Room<String>(places: 0)
    #expect(!room.enter("a"))
  }
}

/// A small generator (xorshift) whose seed a failing test can print.
struct Seeded: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}

/// The queue by reference: an expectation cannot call what changes a value.
private final class Queue<Group: Hashable, Item: Equatable> {
  private(set) var value: FairQueue<Group, Item>
  init(slots: Int, slotsPerGroup: Int) { value = FairQueue(slots: slots, slotsPerGroup: slotsPerGroup) }
  var slots: Int { value.slots }
  var running: Int { value.running }
  var waiting: Int { value.waiting }
  func isFull(_ group: Group) -> Bool { value.isFull(group) }
  func add(_ item: Item, to group: Group, first: Bool = false) { value.add(item, to: group, first: first) }
  func next() -> Item? { value.next() }
  func release(_ group: Group) { value.release(group) }
  func remove(_ item: Item, from group: Group) -> Bool { value.remove(item, from: group) }
}

private final class Room<Group: Hashable> {
  private var value: WaitingRoom<Group>
  init(places: Int) { value = WaitingRoom(places: places) }
  var count: Int { value.count }
  func enter(_ group: Group) -> Bool { value.enter(group) }
  func leave(_ group: Group) { value.leave(group) }
}
