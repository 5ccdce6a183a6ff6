import Testing

@testable import AvatarService

/// Who is at work and who waits.
@Suite struct PrefetchQueueTests {
  private let begin = ContinuousClock.now

  @Test func `no more are at work than there are lanes`() {
    var queue = PrefetchQueue<Int>(lanes: 2, patience: .seconds(1))
    for number in 0..<5 { queue.add(number, isAwaited: false) }
    let first = queue.turns(now: begin)
    #expect(first.map(\.work) == [0, 1])
    #expect(queue.waiting == 3)
    #expect(queue.turns(now: begin).isEmpty)
    queue.end(first[0].ticket)
    #expect(queue.turns(now: begin).map(\.work) == [2])
  }

  @Test func `what a backend waits for goes first`() {
    var queue = PrefetchQueue<String>(lanes: 1, patience: .seconds(1))
    queue.add("at work", isAwaited: false)
    let first = queue.turns(now: begin)
    queue.add("behind", isAwaited: false)
    queue.add("awaited", isAwaited: true)
    queue.end(first[0].ticket)
    let second = queue.turns(now: begin)
    #expect(second.map(\.work) == ["awaited"])
    queue.end(second[0].ticket)
    #expect(queue.turns(now: begin).map(\.work) == ["behind"])
  }

  @Test func `work that takes its time gives its lane on`() {
    var queue = PrefetchQueue<Int>(lanes: 1, patience: .seconds(1))
    queue.add(0, isAwaited: false)
    queue.add(1, isAwaited: false)
    queue.add(2, isAwaited: false)
    let first = queue.turns(now: begin)
    #expect(queue.turns(now: begin + .milliseconds(999)).isEmpty)
    #expect(queue.turns(now: begin + .seconds(1)).map(\.work) == [1])
    // The slow one ends at last: it has no lane to give any more.
    queue.end(first[0].ticket)
    #expect(queue.turns(now: begin + .seconds(1)).isEmpty)
    #expect(queue.turns(now: begin + .seconds(2)).map(\.work) == [2])
  }

  @Test func `thousands come in order`() {
    var queue = PrefetchQueue<Int>(lanes: 3, patience: .seconds(1))
    for number in 0..<5000 { queue.add(number, isAwaited: false) }
    var seen: [Int] = []
    var open = queue.turns(now: begin)
    while !open.isEmpty {
      seen += open.map(\.work)
      for turn in open { queue.end(turn.ticket) }
      open = queue.turns(now: begin)
    }
    #expect(seen == Array(0..<5000))
    #expect(queue.waiting == 0)
  }
}
