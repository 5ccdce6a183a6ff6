internal import AvatarCore
internal import CVips

/// A whole decoded picture, the right way up, eight bits a sample.
struct PlainPicture {
  let width: Int
  let height: Int
  /// 1 grey, 2 grey and alpha, 3 colour, 4 colour and alpha.
  let bands: Int
  let samples: [UInt8]

  /// A picture of `samples`.
  init(width: Int, height: Int, bands: Int, samples: [UInt8]) {
    precondition(samples.count == width * height * bands, "a picture without gaps")
    (self.width, self.height, self.bands, self.samples) = (width, height, bands, samples)
  }

  /// Decodes everything at full size, by libvips. Throws `internal` where it refuses.
  init(decoding bytes: [UInt8]) throws(AvatarError) {
    var (width, height, bands, count): (Int32, Int32, Int32, Int) = (0, 0, 0, 0)
    let decoded = bytes.withUnsafeBytes {
      cvips_decode_whole($0.baseAddress, $0.count, &width, &height, &bands, &count)
    }
    guard let decoded else { throw LibraryThumbnail.fault() }
    defer { cvips_free(decoded) }
    guard count == Int(width) * Int(height) * Int(bands), (1...4).contains(bands) else {
      throw AvatarError(.internalFault, "a sample with other than 8 bits")
    }
    self.init(
      width: Int(width), height: Int(height), bands: Int(bands),
      samples: [UInt8](unsafeUninitializedCapacity: count) { target, filled in
        UnsafeMutableRawBufferPointer(target).copyMemory(from: UnsafeRawBufferPointer(start: decoded, count: count))
        filled = count
      })
  }

  /// Red, green and blue of a pixel on white.
  func colour(_ x: Int, _ y: Int) -> SIMD3<Double> {
    let at = (y * width + x) * bands
    let isGrey = bands < 3
    let colour =
      isGrey
      ? SIMD3(repeating: Double(samples[at]))
      : SIMD3(Double(samples[at]), Double(samples[at + 1]), Double(samples[at + 2]))
    guard bands.isMultiple(of: 2) else { return colour }
    let alpha = Double(samples[at + bands - 1]) / 255
    return colour * alpha + 255 * (1 - alpha)
  }

  /// Brightness of a pixel (ITU-R BT.601), 0…255.
  func brightness(_ x: Int, _ y: Int) -> Double {
    let colour = colour(x, y)
    return 0.299 * colour.x + 0.587 * colour.y + 0.114 * colour.z
  }
}
