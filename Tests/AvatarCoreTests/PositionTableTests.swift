import Testing

@testable import AvatarCore

@Suite struct PositionTableTests {
  @Test("Whatever the hashes, exactly what is there is found", arguments: [1, 3, 16, 1 << 32, Int.max])
  func model(spread: Int) {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(seed: seed)
    var table = PositionTable()
    var model: [Int: Int] = [:]  // hashes by position
    for step in 0..<20_000 {
      let hash = Int.random(in: 0..<spread, using: &random) &* 0x1_0000_0001
      let position = Int.random(in: 0..<300, using: &random)
      if let known = model[position] {
        table.remove(position, hash: known)
        model[position] = nil
      } else {
        table.insert(position, hash: hash)
        model[position] = hash
      }
      #expect(table.count == model.count)
      guard step % 50 == 0 else { continue }
      for (position, hash) in model {
        #expect(positions(table, hash).filter { $0 == position }.count == 1, "seed \(seed), step \(step)")
      }
      for position in positions(table, hash) {
        #expect(model[position].map { UInt32(truncatingIfNeeded: $0) == UInt32(truncatingIfNeeded: hash) } == true)
      }
    }
    for (position, hash) in model { table.remove(position, hash: hash) }
    #expect(table.count == 0 && table.cells.allSatisfy { $0 == 0 }, "seed \(seed)")
  }

  private func positions(_ table: PositionTable, _ hash: Int) -> [Int] {
    var probe = table.probe(hash)
    var found: [Int] = []
    while let position = table.next(&probe) { found.append(position) }
    return found
  }
}
