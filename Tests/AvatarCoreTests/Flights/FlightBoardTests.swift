import Testing

@testable import AvatarCore

@Suite struct FlightBoardTests {
  @Test func `the first leads, the others join, and after the landing the next leads anew`() {
    var board = FlightBoard<String, Int>(maximumFlights: 2)
    #expect(board.board("a", waiter: 1, tick: 5) == (.lead, true))
    #expect(board.board("a", waiter: 2, tick: 5) == (.join, false))
    #expect(board.board("a", waiter: 3, tick: 6) == (.join, true))
    #expect(board.board("a") == .join)
    #expect(board.land("a") == [1, 2, 3])
    #expect(board.land("a") == [])
    #expect(board.board("a", waiter: 4, tick: 6) == (.lead, false))
    #expect(board.expire(5) == [1, 2], "who has landed is told again and takes no notice")
    #expect(board.expire(6) == [3, 4])
    #expect(board.expire(6) == [])
    #expect(board.flightCount == 1 && board.tickCount == 0, "a deadline ends no flight")
  }

  @Test func `past the bound nothing is begun and nobody stands at a tick`() {
    var board = FlightBoard<String, Int>(maximumFlights: 1)
    #expect(board.board("a") == .lead)
    #expect(board.board("b") == .refuse)
    #expect(board.board("b", waiter: 1, tick: 1) == (.refuse, false))
    #expect(board.board("a", waiter: 2, tick: 1) == (.join, true))
    #expect(board.expire(1) == [2])
    #expect(board.land("a") == [2])
    #expect(board.board("b") == .lead)
  }
}
