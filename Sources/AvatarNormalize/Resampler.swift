internal import AvatarCore
internal import CResample

/// Resamples a picture that comes row by row: only as many rows are kept as one output row is made of.
struct Resampler {
  private let across: ResamplingAxis
  private let down: ResamplingAxis
  private let bands: Int
  private let hasAlpha: Bool
  private let colour: Picture.Colour
  /// The last `down.weights.taps` rows, the row `y` at `y % down.weights.taps`.
  private let rows: PinnedRows<Float>
  /// A few rows resampled downwards, the same turned, and the same across as well.
  private let narrowed: PinnedRows<Float>
  private let turned: PinnedRows<Float>
  private let made: PinnedRows<Float>
  private let result: PinnedBytes
  private var taken = 0
  /// Output rows resampled downwards, and those that are done.
  private var waiting = 0
  private var finished = 0

  /// For the window's part of a picture with `bands` bytes a pixel, the last of them alpha if it `hasAlpha`.
  init(_ window: Window, bands: Int, hasAlpha: Bool, colour: Picture.Colour, axes: ResamplingAxes) {
    across = axes.axis(inputs: window.columns.count, outputs: window.width, scale: window.across)
    down = axes.axis(inputs: window.rows.count, outputs: window.height, scale: window.down)
    (self.bands, self.hasAlpha, self.colour) = (bands, hasAlpha, colour)
    rows = PinnedRows<Float>(count: down.weights.taps, length: window.columns.count * bands)
    narrowed = PinnedRows<Float>(count: Int(CRESAMPLE_ROWS), length: window.columns.count * bands)
    turned = PinnedRows<Float>(count: Int(CRESAMPLE_ROWS), length: window.columns.count * bands)
    made = PinnedRows<Float>(count: Int(CRESAMPLE_ROWS), length: window.width * bands)
    result = PinnedBytes(count: window.width * window.height * bands)
  }

  /// The next row.
  mutating func take(_ row: UnsafeRawBufferPointer) {
    precondition(taken < down.inputs && row.count == across.inputs * bands, "a row of this picture")
    guard let bytes = row.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
    let target = rows[taken % down.weights.taps]
    cresample_widen(bytes, row.count, target)
    if hasAlpha { weighByAlpha(target) }
    taken += 1
    while waiting < down.outputs, down.first(of: waiting) + down.weights.taps <= taken { narrowRow() }
  }

  /// The result, after the last row.
  func finish() -> Raster {
    precondition(finished == down.outputs, "every row was taken")
    return Raster(result, width: across.outputs, height: down.outputs, bands: bands, colour: colour)
  }

  private mutating func narrowRow() {
    let first = down.first(of: waiting)
    withUnsafeTemporaryAllocation(of: Optional<UnsafePointer<Float>>.self, capacity: down.weights.taps) { sources in
      for tap in 0..<down.weights.taps {
        sources.initializeElement(at: tap, to: UnsafePointer(rows[(first + tap) % down.weights.taps]))
      }
      down.weights.withWeights(of: waiting) { weights in
        cresample_mix(
          sources.baseAddress, weights, down.weights.taps, across.inputs * bands, narrowed[waiting - finished])
      }
    }
    waiting += 1
    if waiting - finished == Int(CRESAMPLE_ROWS) || waiting == down.outputs { finishRows() }
  }

  private mutating func finishRows() {
    across.weights.withAll { first, weights in
      cresample_shrink(
        narrowed[0], narrowed.stride, across.inputs, first, weights, across.weights.taps, across.outputs, bands,
        turned[0],
        made[0], made.stride)
    }
    let count = across.outputs * bands
    result.withBytes { bytes in
      guard let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
      for row in finished..<waiting {
        let samples = made[row - finished]
        if hasAlpha { undoAlpha(samples) }
        cresample_narrow(samples, count, start + row * count)
      }
    }
    finished = waiting
  }

  /// Hidden colours weigh nothing.
  private func weighByAlpha(_ row: UnsafeMutablePointer<Float>) {
    for start in stride(from: 0, to: across.inputs * bands, by: bands) {
      let alpha = row[start + bands - 1] / 255
      for band in 0..<bands - 1 { row[start + band] *= alpha }
    }
  }

  private func undoAlpha(_ row: UnsafeMutablePointer<Float>) {
    for start in stride(from: 0, to: across.outputs * bands, by: bands) {
      let alpha = row[start + bands - 1]
      for band in 0..<bands - 1 { row[start + band] *= alpha > 0 ? 255 / alpha : 0 }
    }
  }
}
