import Testing

@testable import AvatarCore

@Suite struct FlightBoardTests {
  @Test func `the first leads, the others join, and after the landing the next leads anew`() {
    var board = FlightBoard<String, Int>(maximumFlights: 2)
    #expect(board.board("a", waiter: 1, tick: 5) == (.lead, true))
    #expect(board.board("a", waiter: 2, tick: 5) == (.join, false))
    #expect(
      board.board("a", waiter: 3, tick: 6) == (.join, false), "the alarm for the earlier tick sees to the later one")
    #expect(board.board("a") == .join)
    #expect(board.land("a") == [1, 2, 3])
    #expect(board.land("a") == [])
    #expect(board.board("a", waiter: 4, tick: 6) == (.lead, false))
    #expect(board.expire(5) == ([], 6), "nobody waits for that one any more")
    #expect(board.expire(6) == ([4], nil))
    #expect(board.expire(6) == ([], nil))
    #expect(board.flightCount == 1 && board.tickCount == 0, "a deadline ends no flight")
  }

  @Test func `past the bound nothing is begun and nobody stands at a tick`() {
    var board = FlightBoard<String, Int>(maximumFlights: 1)
    #expect(board.board("a") == .lead)
    #expect(board.board("b") == .refuse)
    #expect(board.board("b", waiter: 1, tick: 1) == (.refuse, false))
    #expect(board.board("a", waiter: 2, tick: 1) == (.join, true))
    #expect(board.expire(1) == ([2], nil))
    #expect(board.land("a") == [2])
    #expect(board.board("b") == .lead)
  }

  // Each miss once left a timer that slept on to its caller's deadline: 2.5 KB for a minute where the budget was a minute.
  @Test func `a landing leaves nothing to wait for`() {
    var board = FlightBoard<Int, Int>(maximumFlights: 1000)
    for number in 0..<1000 {
      _ = board.board(number, waiter: number, tick: Int64(100 + number))
      #expect(board.land(number) == [number])
    }
    #expect(board.tickCount == 0 && board.flightCount == 0)
    #expect(board.expire(100) == ([], nil))
  }

  @Test func `one alarm goes from tick to tick, and an earlier one takes its place`() {
    var board = FlightBoard<String, Int>(maximumFlights: 9)
    #expect(board.board("a", waiter: 1, tick: 30) == (.lead, true))
    #expect(board.board("b", waiter: 2, tick: 10) == (.lead, true))
    #expect(board.board("c", waiter: 3, tick: 20) == (.lead, false))
    #expect(board.expire(10) == ([2], 20))
    #expect(board.expire(30) == ([], nil), "it was replaced: the other sees to everybody")
    #expect(board.expire(20) == ([3], 30))
    #expect(board.expire(30) == ([1], nil))
    #expect(board.board("d", waiter: 4, tick: 5) == (.lead, true), "the alarm is off: the next caller asks for one")
  }
}
