import AvatarCore
import Synchronization
import Testing

@Suite struct SieveCacheTests {
  @Test func `a value is found until it is removed`() {
    var cache = SieveCache<String, Int>(capacity: 2)
    #expect(cache.lookup("a") == nil)
    #expect(cache.insert(1, for: "a").isEmpty)
    #expect(cache.lookup("a") == 1)
    #expect(cache.peek("a") == 1)
    #expect(cache.remove("a") == 1)
    #expect(cache.remove("a") == nil)
    #expect(cache.lookup("a") == nil)
    #expect(cache.count == 0 && cache.totalCost == 0)
  }

  @Test func `the oldest that was not used goes first`() {
    var cache = SieveCache<String, Int>(capacity: 3)
    for (index, key) in ["a", "b", "c"].enumerated() { cache.insert(index, for: key) }
    _ = cache.lookup("a")
    _ = cache.peek("b")  // leaves no mark
    #expect(cache.insert(3, for: "d") == [1])
    #expect(cache.peek("a") == 0 && cache.peek("b") == nil)
    // The hand has passed `a` and taken its mark; it goes on from where it stood.
    #expect(cache.insert(4, for: "e") == [2])
    #expect(cache.insert(5, for: "f") == [3])
  }

  @Test func `what was used past the table is spared once for it`() {
    final class Token: Sendable { let wasUsed = Mutex(false) }
    var cache = SieveCache<Int, Token>(capacity: 2) { token in
      token.wasUsed.withLock { wasUsed in
        defer { wasUsed = false }
        return wasUsed
      }
    }
    let (first, second) = (Token(), Token())
    cache.insert(first, for: 1)
    cache.insert(second, for: 2)
    first.wasUsed.withLock { $0 = true }
    #expect(cache.insert(Token(), for: 3).first === second)
    // The mark was taken with that.
    #expect(cache.insert(Token(), for: 4).first === first)
  }

  @Test func `what was used past the table counts as used where another takes its place`() {
    let isUsed = Mutex(true)
    var cache = SieveCache<Int, Int>(capacity: 2) { value in
      isUsed.withLock { isUsed in
        defer { if value == 1 { isUsed = false } }
        return value == 1 && isUsed
      }
    }
    cache.insert(1, for: 1)
    cache.insert(2, for: 2)
    #expect(cache.insert(10, for: 1) == [1])
    #expect(cache.insert(3, for: 3) == [2])
  }

  @Test func `room is made even where all are in use all the time`() {
    var cache = SieveCache<Int, Int>(capacity: 3) { _ in true }
    for key in 1...3 { cache.insert(key, for: key) }
    #expect(cache.insert(4, for: 4) == [1])
    #expect(cache.insert(5, for: 5, cost: 3).sorted() == [2, 3, 4])
  }

  @Test(arguments: [(0, 1), (1, 2), (10, 11)])
  func `what costs more than everything is not kept and ends what it would replace`(capacity: Int, cost: Int) {
    var cache = SieveCache<String, Int>(capacity: capacity)
    if capacity > 0 { cache.insert(1, for: "a") }
    #expect(cache.insert(2, for: "a", cost: cost) == (capacity > 0 ? [1, 2] : [2]))
    #expect(cache.count == 0 && cache.totalCost == 0)
  }

  @Test func `a cost at the capacity empties the rest and is kept`() {
    var cache = SieveCache<String, Int>(capacity: 10)
    for index in 0..<10 { cache.insert(index, for: "\(index)") }
    #expect(cache.insert(99, for: "big", cost: 10).count == 10)
    #expect(cache.lookup("big") == 99 && cache.totalCost == 10)
  }

  @Test func `a replacement that grows evicts others and never itself`() {
    var cache = SieveCache<String, Int>(capacity: 10)
    for index in 0..<10 { cache.insert(index, for: "\(index)") }
    #expect(cache.insert(100, for: "0", cost: 5).sorted() == [0, 1, 2, 3, 4])
    #expect(cache.peek("0") == 100 && cache.totalCost == 10 && cache.count == 6)
  }

  @Test func `one pass over ten thousand rare keys leaves what is used alone`() {
    var cache = SieveCache<Int, Int>(capacity: 200)
    for key in 0..<100 { cache.insert(key, for: key) }
    for rare in 1000..<11_000 {
      _ = cache.lookup(rare % 100)
      cache.insert(rare, for: rare)
    }
    for key in 0..<100 { #expect(cache.peek(key) == key) }
  }

  @Test func `values are released when they go`() {
    final class Token {}
    var cache = SieveCache<Int, Token>(capacity: 1)
    weak var first: Token?
    do {
      let token = Token()
      first = token
      cache.insert(token, for: 1)
    }
    #expect(first != nil)
    cache.insert(Token(), for: 2)
    #expect(first == nil)
  }

  /// The same cache as anyone would write it at a blackboard: one list from old to new and a hand.
  private struct Model {
    struct Line: Equatable { var key: Int, value: Int, cost: Int, isVisited: Bool }
    let capacity: Int
    var lines: [Line] = []
    var hand: Int?  // a key
    var total: Int { lines.reduce(0) { $0 + $1.cost } }

    mutating func drop(_ place: Int) -> Line {
      if hand == lines[place].key { hand = place + 1 < lines.count ? lines[place + 1].key : nil }
      return lines.remove(at: place)
    }

    mutating func makeRoom(for cost: Int, besides others: Int?) -> [Int] {
      var released: [Int] = []
      while lines.reduce(0, { $0 + ($1.key == others ? 0 : $1.cost) }) + cost > capacity {
        var place = lines.firstIndex { $0.key == hand } ?? 0
        while lines[place].key == others || lines[place].isVisited {
          if lines[place].key != others { lines[place].isVisited = false }
          place = (place + 1) % lines.count
        }
        hand = lines[place].key
        released.append(drop(place).value)
      }
      return released
    }

    mutating func insert(_ value: Int, for key: Int, cost: Int) -> [Int] {
      let place = lines.firstIndex { $0.key == key }
      if cost > capacity { return (place.map { [drop($0).value] } ?? []) + [value] }
      if let place {
        let old = lines[place].value
        let released = makeRoom(for: cost, besides: key)
        if let now = lines.firstIndex(where: { $0.key == key }) {
          lines[now].value = value
          lines[now].cost = cost
        }
        return [old] + released
      }
      let released = makeRoom(for: cost, besides: nil)
      lines.append(Line(key: key, value: value, cost: cost, isVisited: false))
      return released
    }
  }

  @Test func `thousands of random histories go as a plain list with a hand would`() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(seed: seed)
    for history in 0..<2000 {
      let capacity = Int.random(in: 0...24, using: &random)
      var cache = SieveCache<Int, Int>(capacity: capacity)
      var model = Model(capacity: capacity)
      for step in 0..<60 {
        let name: Comment = "seed \(seed), history \(history), step \(step)"
        let key = Int.random(in: 0..<12, using: &random)
        switch Int.random(in: 0..<10, using: &random) {
        case 0...4:
          let cost = Int.random(in: 1...8, using: &random)
          let expected = model.insert(step, for: key, cost: cost)
          if cache.insert(step, for: key, cost: cost) != expected { Issue.record(name) }
        case 5...7:
          let place = model.lines.firstIndex { $0.key == key }
          if let place { model.lines[place].isVisited = true }
          if cache.lookup(key) != place.map({ model.lines[$0].value }) { Issue.record(name) }
        case 8:
          let expected = model.lines.firstIndex { $0.key == key }.map { model.drop($0).value }
          if cache.remove(key) != expected { Issue.record(name) }
        default:
          let gone = Set(model.lines.filter { $0.value % 5 == key % 5 }.map(\.key))
          for key in gone {
            if let place = model.lines.firstIndex(where: { $0.key == key }) { _ = model.drop(place) }
          }
          if cache.removeAll(where: { $1 % 5 == key % 5 }).count != gone.count { Issue.record(name) }
        }
        var lines: [Int: Int] = [:]
        cache.forEach { lines[$0] = $1 }
        let expected = Dictionary(uniqueKeysWithValues: model.lines.map { ($0.key, $0.value) })
        #expect(lines == expected && cache.totalCost == model.total && cache.count == expected.count, name)
      }
    }
  }
}
