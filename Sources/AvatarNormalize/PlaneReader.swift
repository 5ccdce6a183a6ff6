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
  private var resampler: Resampler
  /// A step's rows.
  private let step: PinnedBytes
  private var taken = 0

  /// For the placement's part of `plane`; nil where chroma would come to lie beside luma.
  init?(_ plane: CJPEGPlane, _ placement: Placement, isChroma: Bool, axes: ResamplingAxes) {
    let divisors = (plane.across, plane.down)
    window = placement.window(
      divisors: divisors, width: Int(plane.width), height: Int(plane.height), parts: isChroma ? 2 : 1)
    guard !isChroma || placement.isCentred(window, divisors: divisors) else { return nil }
    self.plane = plane
    resampler = Resampler(window, bands: 1, hasAlpha: false, colour: .grey, axes: axes)
    step = PinnedBytes(count: Int(plane.stride) * Int(plane.rows))
  }

  /// How much smaller the avatar's chroma is than `plane`.
  static func reductionOfChroma(_ plane: CJPEGPlane, _ placement: Placement) -> Double {
    placement.reduction * 2 / max(plane.across, plane.down)
  }

  /// Lends the room for one step's rows.
  func withStep(_ body: (UnsafeMutablePointer<UInt8>?) -> CJPEGStatus) -> CJPEGStatus {
    step.withBytes { body($0.baseAddress?.assumingMemoryBound(to: UInt8.self)) }
  }

  /// Takes the rows that a step has brought.
  mutating func take() {
    let stride = Int(plane.stride)
    for row in (taken..<taken + Int(plane.rows)).clamped(to: window.rows) {
      step.withBytes { bytes in
        let start = (row - taken) * stride
        resampler.take(
          UnsafeRawBufferPointer(
            rebasing: bytes[start + window.columns.lowerBound..<start + window.columns.upperBound]))
      }
    }
    taken += Int(plane.rows)
  }

  /// The avatar's plane, after the last step.
  func finish() -> PinnedBytes { resampler.finish().pixels }
}
