import AvatarCore
import Glibc
import Synchronization

/// The thread that takes connections, holds the limit on them and deals them out to the loops.
final class Acceptor: Sendable {
  private let socket: ListenSocket
  private let thread: NamedThread
  private let isStopped = Mutex(false)

  /// Takes the socket over and starts.
  init(_ socket: ListenSocket, core: ServerCore, fleet: LoopFleet) throws(AvatarError) {
    self.socket = socket
    thread = try NamedThread("avatar-accept") {
      Self.run(socket, core: core, fleet: fleet)
    }
  }

  /// Ends the thread and closes the socket, so that the system refuses further clients.
  func stop() {
    isStopped.withLock { isStopped in
      guard !isStopped else { return }
      isStopped = true
      socket.wake()
      thread.join()
      socket.close()
    }
  }

  /// Beyond so many the loops get a moment to catch up, so that the limit is not overshot by much.
  private static let mostOnTheWay = 256

  private static func run(_ socket: ListenSocket, core: ServerCore, fleet: LoopFleet) {
    var isExhausted = false
    while true {
      switch socket.accept() {
      case .socket(let accepted):
        isExhausted = false
        if core.registry.count >= core.maxConnections {
          core.counters.refused.wrappingAdd(1, ordering: .relaxed)
          close(accepted.descriptor)
        } else if !fleet.add(accepted) {
          core.counters.refused.wrappingAdd(1, ordering: .relaxed)
        } else if fleet.onTheWay > mostOnTheWay, socket.pause(milliseconds: 1) {
          return
        }
      case .woken:
        return
      case .exhausted(let code):
        if !isExhausted {
          isExhausted = true
          core.log.log(.error, "http_accept_exhausted", [("side", .text(core.side)), ("errno", .number(Int64(code)))])
        }
        if socket.pause(milliseconds: 50) { return }
      }
    }
  }
}
