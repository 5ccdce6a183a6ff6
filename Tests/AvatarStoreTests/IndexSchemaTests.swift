import AvatarCore
import Testing

@testable import AvatarStore

@Suite struct IndexSchemaTests {
  private func indexes(_ connection: SQLiteConnection) throws -> [String] {
    try connection.rows("SELECT name FROM sqlite_master WHERE type = 'index' AND name LIKE 'reservation%'") {
      $0.text(0) ?? ""
    }
  }

  @Test func `an index file of an earlier version keeps its entries and loses what only cost writes`() async throws {
    let sandbox = try Sandbox()
    let first = await sandbox.open()
    #expect(await first.keep(Sample(1), as: 1) == .stored)
    await first.close()
    let old = try IndexFile(paths: sandbox.paths).openForWriting(purgesAfter: 0).connection
    #expect(try indexes(old).isEmpty)
    try old.execute(
      """
      CREATE INDEX reservation_by_object ON reservations (object); CREATE INDEX reservation_by_owner ON reservations (owner);
      INSERT INTO reservations VALUES (7, 'dead')
      """)
    let log = EventLog()
    let store = await sandbox.open(log: log)
    #expect(log.events.isEmpty)
    #expect(await store.load(Sample.key(1))?.jpeg.bytes == Sample(1).jpeg)
    #expect(await store.keep(Sample(2), as: 2) == .stored)
    await store.close()
    // The other one, which was open all the while, goes on as well.
    #expect(try indexes(old).isEmpty)
    #expect(try old.number("SELECT count(*) FROM reservations") == 0)
    #expect(try old.number("SELECT entries FROM totals") == 2)
  }
}
