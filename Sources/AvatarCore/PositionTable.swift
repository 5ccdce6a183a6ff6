/// Where keys stand in a table's slots: open addressing in one array, so that finding a slot touches one line of memory before the slot itself.
///
/// It knows hashes, not keys: who asks compares the slot's. At most half of the cells are taken; each is 8 bytes.
@usableFromInline struct PositionTable: Sendable {
  /// The hash's lower half above a position plus one; 0 for a free cell.
  @usableFromInline var cells: [UInt64] = [0]
  /// How many positions there are.
  private(set) var count = 0

  /// A walk along the cells in which a hash may be.
  @usableFromInline struct Probe {
    @usableFromInline let mark: UInt64
    @usableFromInline var cell: Int
    @inlinable init(mark: UInt64, cell: Int) { (self.mark, self.cell) = (mark, cell) }
  }

  /// Begins a walk.
  @inlinable func probe(_ hash: Int) -> Probe {
    let mark = UInt64(UInt32(truncatingIfNeeded: hash))
    return Probe(mark: mark, cell: Int(mark) & (cells.count - 1))
  }

  /// The next position whose hash looks the same; nil at the end.
  @inlinable func next(_ probe: inout Probe) -> Int? {
    while true {
      let cell = cells[probe.cell]
      if cell == 0 { return nil }
      probe.cell = (probe.cell + 1) & (cells.count - 1)
      if cell >> 32 == probe.mark { return Int(cell & 0xFFFF_FFFF) - 1 }
    }
  }

  /// Notes a position, below 2³² - 1, that is not there yet.
  mutating func insert(_ position: Int, hash: Int) {
    count += 1
    if count * 2 > cells.count { grow() }
    put(UInt64(UInt32(truncatingIfNeeded: hash)) << 32 | UInt64(position + 1))
  }

  /// Forgets a position that is there.
  mutating func remove(_ position: Int, hash: Int) {
    let last = cells.count - 1
    var hole = probe(hash).cell
    while cells[hole] & 0xFFFF_FFFF != UInt64(position + 1) {
      precondition(cells[hole] != 0, "the position is there")
      hole = (hole + 1) & last
    }
    // What follows moves up as far as its own hash allows, so that no walk ends at the hole.
    var next = (hole + 1) & last
    while cells[next] != 0 {
      let home = Int(cells[next] >> 32) & last
      if (next - home) & last >= (next - hole) & last {
        cells[hole] = cells[next]
        hole = next
      }
      next = (next + 1) & last
    }
    cells[hole] = 0
    count -= 1
  }

  private mutating func grow() {
    let old = cells
    cells = Array(repeating: 0, count: max(8, old.count * 2))
    for cell in old where cell != 0 { put(cell) }
  }

  private mutating func put(_ cell: UInt64) {
    var at = Int(cell >> 32) & (cells.count - 1)
    while cells[at] != 0 { at = (at + 1) & (cells.count - 1) }
    cells[at] = cell
  }
}
