import AvatarCore
import Glibc
import Synchronization
import Testing

@Suite struct ThreadUrgencyTests {
  /// How nice a thread of this urgency is, and the thread that asks for it.
  private func niceness(_ urgency: ThreadUrgency) throws -> (own: Int32, caller: Int32) {
    let seen = Mutex<Int32>(99)
    let own = try NamedThread("urgency", urgency: urgency) { seen.withLock { $0 = Self.niceness } }
    own.join()
    return (seen.withLock { $0 }, Self.niceness)
  }

  private static var niceness: Int32 { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) }

  @Test func `patience is the thread's own, and promptness needs no privilege`() throws {
    let usual = Self.niceness
    #expect(try niceness(.usual) == (usual, usual))
    #expect(try niceness(.prompt) == (usual, usual))
    #expect(try niceness(.patient) == (max(usual, 10), usual))
  }
}
