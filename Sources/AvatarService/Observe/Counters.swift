import AvatarCore
import Synchronization

/// Counts by a small fixed set of labels; adding is one atomic instruction, safe from any thread.
final class CounterTable: Sendable {
  private let cells: [Cell]
  private final class Cell: Sendable {
    let value = Atomic<Int>(0)
  }

  init(count: Int) { cells = (0..<count).map { _ in Cell() } }

  func add(_ index: Int, _ amount: Int = 1) { cells[index].value.wrappingAdd(amount, ordering: .relaxed) }
  subscript(index: Int) -> Int { cells[index].value.load(ordering: .relaxed) }
  var count: Int { cells.count }
}
