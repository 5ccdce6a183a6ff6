internal import AvatarCore
internal import CJPEG
internal import CResample

/// Makes an avatar's planes of those that a JPEG is stored as.
///
/// Most JPEGs hold luma, and chroma at half its size, and so does an avatar. Red, green and blue in between would only mean that chroma
/// is enlarged, converted, resampled at a size that is not kept, converted back and halved again; resampling is a sum of products, which
/// comes to the same on either side of the conversion.
struct PlaneReader {
  private let window: Window
  private let plane: CJPEGPlane
  /// Samples each way that are averaged before they are resampled.
  private let merged: Int
  private var resampler: Resampler
  /// A step's rows, and one of averages.
  private let step: PinnedBytes
  private let averages: PinnedBytes
  private var taken = 0

  /// For the placement's part of `plane`; nil where chroma would come to lie beside luma.
  init?(_ plane: CJPEGPlane, _ placement: Placement, isChroma: Bool, axes: ResamplingAxes) {
    // The DCT cannot make halved chroma smaller than luma, so there are twice the samples each way that the filter wants.
    let reduction = placement.reduction * (isChroma ? 2 : 1) / max(plane.across, plane.down)
    merged = isChroma && reduction >= 2 * JPEGDecoder.spare && plane.stride % 2 == 0 && plane.rows % 2 == 0 ? 2 : 1
    let divisors = (plane.across * Double(merged), plane.down * Double(merged))
    window = placement.window(
      divisors: divisors, width: (Int(plane.width) + merged - 1) / merged,
      height: (Int(plane.height) + merged - 1) / merged, parts: isChroma ? 2 : 1)
    guard !isChroma || placement.isCentred(window, divisors: divisors) else { return nil }
    self.plane = plane
    resampler = Resampler(window, bands: 1, hasAlpha: false, colour: .grey, axes: axes)
    step = PinnedBytes(count: Int(plane.stride) * Int(plane.rows))
    averages = PinnedBytes(count: Int(plane.stride) / merged)
  }

  /// Lends the room for one step's rows.
  func withStep(_ body: (UnsafeMutablePointer<UInt8>?) -> CJPEGStatus) -> CJPEGStatus {
    step.withBytes { body($0.baseAddress?.assumingMemoryBound(to: UInt8.self)) }
  }

  /// Takes the rows that a step has brought.
  mutating func take() {
    let (stride, count) = (Int(plane.stride), Int(plane.rows) / merged)
    for row in (taken..<taken + count).clamped(to: window.rows) {
      step.withBytes { bytes in
        let first = (row - taken) * merged
        var samples = UnsafeRawBufferPointer(rebasing: bytes[first * stride..<(first + 1) * stride])
        if merged == 2 {
          // An odd last row stands for two.
          let second = min(first + 1, Int(plane.height) - 1 - taken * merged)
          samples = averaged(samples, UnsafeRawBufferPointer(rebasing: bytes[second * stride..<(second + 1) * stride]))
        }
        resampler.take(
          UnsafeRawBufferPointer(rebasing: samples[window.columns.lowerBound..<window.columns.upperBound]))
      }
    }
    taken += count
  }

  private func averaged(_ upper: UnsafeRawBufferPointer, _ lower: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    averages.withBytes { averages in
      cresample_halve(
        upper.baseAddress?.assumingMemoryBound(to: UInt8.self), lower.baseAddress?.assumingMemoryBound(to: UInt8.self),
        averages.count, averages.baseAddress?.assumingMemoryBound(to: UInt8.self))
      return UnsafeRawBufferPointer(averages)
    }
  }

  /// The avatar's plane, after the last step.
  func finish() -> PinnedBytes { resampler.finish().pixels }
}
