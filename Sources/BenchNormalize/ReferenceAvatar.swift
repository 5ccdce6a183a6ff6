internal import AvatarCore
internal import CVips
internal import Glibc

/// The avatar that both contestants are after: everything decoded, put on white, and the centre square resampled by Lanczos of
/// three lobes in one step, in real numbers and in sRGB as it is encoded. Slow, plain, and independent of either.
struct ReferenceAvatar {
  private let side: Int
  private let samples: [UInt8]

  /// Throws `internal` where libvips does not decode `source`.
  init(of source: [UInt8], _ recipe: Recipe) throws(AvatarError) {
    let picture = try PlainPicture(decoding: source)
    side = recipe.size
    let crop = min(picture.width, picture.height)
    let (left, top) = ((picture.width - crop) / 2, (picture.height - crop) / 2)
    let taps = Self.taps(from: crop, to: side)
    // Across first: a row of the crop becomes a row of the avatar's width.
    var rows = [SIMD3<Double>](repeating: .zero, count: side * crop)
    var line = [SIMD3<Double>](repeating: .zero, count: crop)
    for y in 0..<crop {
      for x in 0..<crop { line[x] = picture.colour(left + x, top + y) }
      for (x, tap) in taps.enumerated() {
        var sum = SIMD3<Double>.zero
        for (index, weight) in tap.weights.enumerated() { sum += line[tap.first + index] * weight }
        rows[y * side + x] = sum
      }
    }
    var samples: [UInt8] = []
    samples.reserveCapacity(side * side * 3)
    for tap in taps {
      for x in 0..<side {
        var sum = SIMD3<Double>.zero
        for (index, weight) in tap.weights.enumerated() { sum += rows[(tap.first + index) * side + x] * weight }
        for band in 0..<3 { samples.append(UInt8(max(0, min(255, sum[band].rounded())))) }
      }
    }
    self.samples = samples
  }

  /// Written by libvips, with the settings that both contestants have.
  func jpeg(quality: Int) throws(AvatarError) -> [UInt8] {
    let written: Result<[UInt8], AvatarError> = samples.withUnsafeBytes { bytes in
      var image: OpaquePointer?
      let failed = cvips_from_pixels(
        bytes.baseAddress, bytes.count, Int32(side), Int32(side), 3, CVIPS_RGB, &image)
      guard failed == 0, let image else { return .failure(LibraryThumbnail.fault()) }
      defer { cvips_release_image(image) }
      return Result { () throws(AvatarError) in try LibraryThumbnail.jpeg(of: image, quality) }
    }
    return try written.get()
  }

  private struct Tap {
    var first: Int
    var weights: [Double]
  }

  /// Which inputs make each output, weighing one together; what would lie outside counts for nothing.
  private static func taps(from inputs: Int, to outputs: Int) -> [Tap] {
    let scale = Double(inputs) / Double(outputs)
    let stretch = max(1, scale)
    return (0..<outputs).map { output in
      let middle = (Double(output) + 0.5) * scale - 0.5
      let first = max(0, Int((middle - 3 * stretch).rounded(.up)))
      let last = min(inputs - 1, Int((middle + 3 * stretch).rounded(.down)))
      let weights = (first...last).map { lanczos((Double($0) - middle) / stretch) }
      let sum = weights.reduce(0, +)
      return Tap(first: first, weights: weights.map { $0 / sum })
    }
  }

  private static func lanczos(_ x: Double) -> Double {
    if abs(x) < 1e-9 { return 1 }
    if abs(x) >= 3 { return 0 }
    let angle = Double.pi * x
    return 3 * sin(angle) * sin(angle / 3) / (angle * angle)
  }
}
