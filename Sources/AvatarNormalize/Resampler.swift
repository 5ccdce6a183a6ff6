internal import AvatarCore
internal import CResample

/// Resamples a picture that comes row by row: only as many rows are kept as one output row is made of.
struct Resampler {
  private let across: ResamplingAxis
  private let acrossWeights: [Float]
  private let down: ResamplingAxis
  private let bands: Int
  private let hasAlpha: Bool
  private let colour: Picture.Colour
  /// The last `down.taps` rows, the row `y` at `y % down.taps`.
  private let rows: FloatRows
  /// One row resampled downwards, and the same across as well.
  private let made: FloatRows
  private let result: PinnedBytes
  private var taken = 0
  private var finished = 0

  /// For the window's part of a picture with `bands` bytes a pixel, the last of them alpha if it `hasAlpha`.
  init(_ window: Window, bands: Int, hasAlpha: Bool, colour: Picture.Colour, axes: ResamplingAxes) {
    across = axes.axis(inputs: window.columns.count, outputs: window.width, scale: window.across)
    acrossWeights = bands == 1 ? across.paddedWeights : across.fourfoldWeights
    down = axes.axis(inputs: window.rows.count, outputs: window.height, scale: window.down)
    (self.bands, self.hasAlpha, self.colour) = (bands, hasAlpha, colour)
    rows = FloatRows(count: down.taps, length: window.columns.count * bands)
    made = FloatRows(count: 2, length: max(window.columns.count, window.width) * bands)
    result = PinnedBytes(count: window.width * window.height * bands)
  }

  /// The next row.
  mutating func take(_ row: UnsafeRawBufferPointer) {
    precondition(taken < down.inputs && row.count == across.inputs * bands, "a row of this picture")
    guard let bytes = row.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
    let target = rows[taken % down.taps]
    cresample_widen(bytes, row.count, target)
    if hasAlpha { weighByAlpha(target) }
    taken += 1
    while finished < down.outputs, down.first(of: finished) + down.taps <= taken { finishRow() }
  }

  /// The result, after the last row.
  func finish() -> Raster {
    precondition(finished == down.outputs, "every row was taken")
    return Raster(result, width: across.outputs, height: down.outputs, bands: bands, colour: colour)
  }

  private mutating func finishRow() {
    let first = down.first(of: finished)
    withUnsafeTemporaryAllocation(of: Optional<UnsafePointer<Float>>.self, capacity: down.taps) { sources in
      for tap in 0..<down.taps {
        sources.initializeElement(at: tap, to: UnsafePointer(rows[(first + tap) % down.taps]))
      }
      down.withWeights(of: finished) { weights in
        cresample_mix(sources.baseAddress, weights, down.taps, across.inputs * bands, made[0])
      }
    }
    across.withFirst { first in
      if bands == 1 {
        cresample_shrink_plane(made[0], first, acrossWeights, across.paddedTaps, across.outputs, made[1])
      } else {
        cresample_shrink(made[0], first, acrossWeights, across.taps, across.outputs, bands, made[1])
      }
    }
    if hasAlpha { undoAlpha(made[1]) }
    let count = across.outputs * bands
    result.withBytes { bytes in
      guard let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
      cresample_narrow(made[1], count, start + finished * count)
    }
    finished += 1
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

/// Rows of real numbers at addresses that do not move, each followed by the room that the loops in C want.
private final class FloatRows {
  private let start: UnsafeMutablePointer<Float>
  private let stride: Int

  init(count: Int, length: Int) {
    stride = length + Int(CRESAMPLE_SLACK)
    start = .allocate(capacity: count * stride)
    start.initialize(repeating: 0, count: count * stride)
  }

  deinit { start.deallocate() }

  subscript(row: Int) -> UnsafeMutablePointer<Float> { start + row * stride }
}
