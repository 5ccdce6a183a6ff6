internal import CResample

/// Rows of numbers at addresses that do not move, each followed by the room that the loops in C want.
final class PinnedRows<Number: Numeric> {
  private let start: UnsafeMutablePointer<Number>
  /// Numbers from row to row.
  let stride: Int

  /// Zeros.
  init(count: Int, length: Int) {
    stride = length + Int(CRESAMPLE_SLACK)
    start = .allocate(capacity: count * stride)
    start.initialize(repeating: 0, count: count * stride)
  }

  deinit { start.deallocate() }

  subscript(row: Int) -> UnsafeMutablePointer<Number> { start + row * stride }
}
