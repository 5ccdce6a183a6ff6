import Testing

@testable import AvatarBench

/// What is sent in which order, where to, and what latency over time makes of it.
struct PlanTests {
  private func taken(_ order: LoadPlan.Order, count: Int, _ index: Int, of threads: Int, most: Int) -> [Int] {
    var picker = RequestPicker(order: order, count: count, share: (index, threads))
    var all: [Int] = []
    while all.count < most, let next = picker.next() { all.append(next) }
    return all
  }

  @Test func `in turn, threads take every request by turns and begin again`() {
    #expect(taken(.inTurn, count: 3, 0, of: 1, most: 7) == [0, 1, 2, 0, 1, 2, 0])
    #expect(taken(.inTurn, count: 4, 0, of: 2, most: 4) == [0, 2, 0, 2])
    #expect(taken(.inTurn, count: 4, 1, of: 2, most: 4) == [1, 3, 1, 3])
  }

  @Test(arguments: 1...5) func `once, threads together take each request exactly once`(_ threads: Int) {
    let all = (0..<threads).flatMap { taken(.once, count: 17, $0, of: threads, most: 100) }
    #expect(all.sorted() == Array(0..<17))
  }

  @Test func `shuffled is the same for the same seed, another for another, and leaves nothing out`() {
    let first = taken(.shuffled(seed: 7), count: 10, 0, of: 2, most: 500)
    #expect(first == taken(.shuffled(seed: 7), count: 10, 0, of: 2, most: 500))
    #expect(first != taken(.shuffled(seed: 8), count: 10, 0, of: 2, most: 500))
    #expect(first != taken(.shuffled(seed: 7), count: 10, 1, of: 2, most: 500))
    #expect(Set(first) == Set(0..<10))
  }

  @Test(arguments: [LoadPlan.Order.inTurn, .once, .shuffled(seed: 1)]) func `an empty book has nothing`(
    _ order: LoadPlan.Order
  ) {
    var picker = RequestPicker(order: order, count: 0, share: (0, 1))
    #expect(picker.isEmpty)
    #expect(picker.next() == nil)
  }

  @Test func `an endpoint is an address and a port, and never a name`() {
    #expect(Endpoint(host: "127.0.0.1", port: 80)?.description == "127.0.0.1:80")
    #expect(Endpoint(host: "localhost", port: 81) == Endpoint(loopback: 81))
    #expect(Endpoint(host: "::1", port: 82)?.description == "[::1]:82")
    for host in ["example.org", "", "127.0.0", "[::1]", "127.0.0.1 "] { #expect(Endpoint(host: host, port: 1) == nil) }
  }

  @Test func `a stretch has what was due in it, whenever the answer came`() {
    var one = LatencyTimeline(interval: 1000)
    one.record(start: 10, latency: 9_000_000)
    one.record(start: 999, latency: 1_000_000)
    var other = LatencyTimeline(interval: 1000)
    other.record(start: 2500, latency: 4_000_000)
    other.record(start: 500, latency: 2_000_000)
    one.merge(other)
    let stretches = one.stretches
    #expect(stretches.map(\.at) == [0, 0.000002])
    #expect(stretches.map(\.answers) == [3, 1])
    #expect(stretches.map(\.slowest) == [0.009, 0.004])
    #expect(stretches.map(\.p50) == [0.002, 0.004])
    #expect(LatencyTimeline(interval: 1).stretches.isEmpty)
  }
}
