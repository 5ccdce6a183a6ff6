internal import AvatarCore
internal import CJPEG
internal import CResample

/// Makes an avatar's planes of those that a JPEG is stored as, without making the JPEG's samples (decision 24).
///
/// Most JPEGs hold luma, and chroma at half its size, and so does an avatar. Red, green and blue in between would only mean that chroma
/// is enlarged, converted, resampled at a size that is not kept, converted back and halved again; resampling is a sum of products, which
/// comes to the same on either side of the conversion, and on either side of the inverse DCT.
struct PlaneReader {
  /// Of a block, the coefficients that are asked for.
  let kept: (across: Int, down: Int)
  private let across: BlockAxis
  private let down: BlockAxis
  /// Rows of blocks that a step brings.
  private let step: Int
  /// The last rows of blocks, the row `y` at `y % capacity`, each of a line for every two coefficients downwards.
  private let lines: PinnedRows<Int16>
  private let capacity: Int
  /// A few output rows, resampled downwards, and the same turned.
  private let mixed: PinnedRows<Int16>
  private let turned: PinnedRows<Int16>
  private let columns: Int
  private let result: PinnedBytes
  /// Rows of blocks that came.
  private var taken = 0
  /// Output rows resampled downwards, and those that are done.
  private var waiting = 0
  private var finished = 0

  /// For the placement's part of `plane`; nil where chroma would come to lie beside luma.
  init?(_ plane: CJPEGPlane, _ placement: Placement, isChroma: Bool, axes: ResamplingAxes) {
    let divisors = (Double(plane.across), Double(plane.down))
    let window = placement.window(
      divisors: divisors, width: Int(plane.width), height: Int(plane.height), parts: isChroma ? 2 : 1)
    guard !isChroma || placement.isCentred(window, divisors: divisors) else { return nil }
    precondition(window.width % Self.rowsAtOnce == 0 && window.height % Self.rowsAtOnce == 0, "a side of planes")
    kept = (BlockAxis.kept(reduction: 1 / window.across), BlockAxis.kept(reduction: 1 / window.down))
    across = axes.blockAxis(
      inputs: window.columns, of: Int(plane.columns), outputs: window.width, scale: window.across, kept: kept.across)
    let blocksDown = (Int(plane.height) + BlockAxis.side - 1) / BlockAxis.side
    down = axes.blockAxis(
      inputs: window.rows, of: blocksDown, outputs: window.height, scale: window.down, kept: kept.down)
    step = Int(plane.rows)
    // What an output row may need, and what comes while the last of it is awaited.
    capacity = (down.blocks + 2 * step - 2) / step * step
    columns = Int(plane.columns) * kept.across
    lines = PinnedRows(count: capacity * kept.down / 2, length: 2 * columns)
    mixed = PinnedRows(count: Self.rowsAtOnce, length: columns)
    turned = PinnedRows(count: 1, length: Self.rowsAtOnce * (columns + Self.rowsAtOnce * 2))
    result = PinnedBytes(count: window.width * window.height)
  }

  /// Lends the room for the next step's rows.
  func withStep(_ body: (CJPEGLines) -> CJPEGStatus) -> CJPEGStatus {
    body(CJPEGLines(start: lines[taken % capacity * kept.down / 2], stride: lines.stride))
  }

  /// Takes the rows that a step has brought.
  mutating func take() {
    taken += step
    while waiting < down.outputs, down.firstBlock(of: waiting) + down.blocks <= taken { mixRows() }
  }

  /// The avatar's plane, after the last step.
  func finish() -> PinnedBytes {
    precondition(finished == down.outputs, "every row was taken")
    return result
  }

  /// The next rows that are made of the same blocks.
  private mutating func mixRows() {
    let (first, linesPerRow) = (down.firstBlock(of: waiting), kept.down / 2)
    var end = waiting + 1
    while end < finished + Self.rowsAtOnce, down.firstBlock(of: end) == first { end += 1 }
    let count = down.blocks * linesPerRow
    withUnsafeTemporaryAllocation(of: Optional<UnsafePointer<Int16>>.self, capacity: count) { sources in
      var place = first % capacity * linesPerRow
      for line in 0..<count {
        sources.initializeElement(at: line, to: UnsafePointer(lines[place]))
        place = place + 1 == capacity * linesPerRow ? 0 : place + 1
      }
      down.weights.withWeights(of: waiting) { weights in
        cresample_mix_blocks(
          sources.baseAddress, weights, end - waiting, count, columns, mixed[waiting - finished], mixed.stride)
      }
    }
    waiting = end
    if waiting - finished == Self.rowsAtOnce { finishRows() }
  }

  private mutating func finishRows() {
    across.weights.withAll { first, weights in
      result.withBytes { bytes in
        guard let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
        cresample_shrink_blocks(
          mixed[0], mixed.stride, columns, first, weights, across.weights.taps, across.outputs, turned[0],
          start + finished * across.outputs, across.outputs)
      }
    }
    finished = waiting
  }

  private static let rowsAtOnce = Int(CRESAMPLE_ROWS)
}
