import Testing

@testable import AvatarHTTP

@Suite struct ConnectionWatchTests {
  private let limits = ConnectionWatch.Limits(request: .seconds(10), response: .seconds(30), idle: .seconds(75))

  /// One look: seconds since the start, serial, phase, bytes received; and what must come of it.
  private struct Look {
    let at: Double
    let serial: UInt32
    let phase: ConnectionTurn.Phase
    let bytes: UInt64?
    let verdict: ConnectionWatch.Verdict
    init(
      _ at: Double, _ serial: UInt32, _ phase: ConnectionTurn.Phase, _ bytes: UInt64?,
      _ verdict: ConnectionWatch.Verdict
    ) {
      self.at = at
      self.serial = serial
      self.phase = phase
      self.bytes = bytes
      self.verdict = verdict
    }
  }

  private func check(_ looks: [Look], _ location: SourceLocation = #_sourceLocation) {
    var watch = ConnectionWatch()
    let start = ContinuousClock.now
    for look in looks {
      let verdict = watch.look(
        at: ConnectionTurn(serial: look.serial, phase: look.phase), now: start + .seconds(look.at), limits: limits
      ) { look.bytes }
      #expect(verdict == look.verdict, "at \(look.at) s of \(looks)", sourceLocation: location)
    }
  }

  @Test func `The first request's age counts from the connection's start`() {
    check([Look(0, 0, .awaiting, 0, .keep), Look(9.9, 0, .awaiting, 0, .keep), Look(10, 0, .awaiting, 0, .slowRequest)])
    check([Look(0, 0, .awaiting, 0, .keep), Look(9, 0, .arriving, 50, .keep), Look(10, 0, .arriving, 90, .slowRequest)])
  }

  @Test func `A silent connection between requests is left to the idle timeout`() {
    check([
      Look(0, 1, .awaiting, 100, .keep), Look(40, 1, .awaiting, 100, .keep), Look(74, 1, .awaiting, 100, .keep),
    ])
  }

  @Test func `A later request's age counts from its first byte`() {
    check([
      Look(0, 3, .awaiting, 100, .keep), Look(20, 3, .awaiting, 100, .keep), Look(21, 3, .awaiting, 101, .keep),
      Look(30.9, 3, .awaiting, 110, .keep), Look(31, 3, .awaiting, 111, .slowRequest),
    ])
    check([
      Look(0, 3, .awaiting, 100, .keep), Look(21, 3, .arriving, 160, .keep), Look(31, 3, .arriving, 160, .slowRequest),
    ])
  }

  @Test func `A request line that came with the one before counts too`() {
    check([
      Look(0, 2, .arriving, 100, .keep), Look(9, 2, .arriving, 100, .keep), Look(10, 2, .arriving, 100, .slowRequest),
    ])
  }

  @Test func `Where bytes are not counted idle and request time bound it together`() {
    check([
      Look(0, 1, .awaiting, nil, .keep), Look(84.9, 1, .awaiting, nil, .keep),
      Look(85, 1, .awaiting, nil, .slowRequest),
    ])
  }

  @Test func `A handler may take its time`() {
    check([Look(0, 0, .awaiting, 0, .keep), Look(1, 0, .working, 0, .keep), Look(1000, 0, .working, 0, .keep)])
  }

  @Test func `An answer's age counts from when it was queued`() {
    check([
      Look(0, 0, .working, 0, .keep), Look(100, 0, .answering, 0, .keep), Look(129.9, 0, .answering, 0, .keep),
      Look(130, 0, .answering, 0, .slowResponse),
    ])
  }

  @Test func `A busy connection is never old`() {
    check((0..<200).map { Look(Double($0), UInt32($0), .answering, 0, .keep) })
    check((0..<200).map { Look(Double($0), UInt32($0), .awaiting, UInt64($0), .keep) })
  }

  @Test func `A turn survives its one word`() {
    for serial in [0, 1, 77, 1 << 20] as [UInt32] {
      for phase in [.awaiting, .arriving, .working, .answering] as [ConnectionTurn.Phase] {
        let turn = ConnectionTurn(serial: serial, phase: phase)
        #expect(ConnectionTurn(word: turn.word) == turn)
      }
    }
  }
}
