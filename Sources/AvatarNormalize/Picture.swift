internal import AvatarCore
internal import CVips

/// A picture of libvips: the one owner of its image.
///
/// A step gives another picture and makes no pixel yet; `evaluated`, `readRows` and `checkRows` do.
final class Picture {
  /// What the bands before an alpha mean.
  enum Colour {
    case grey
    case rgb
    /// Inks, 255 = full.
    case cmyk
  }

  /// What they mean here.
  let colour: Colour
  private let image: OpaquePointer
  /// What the image reads while pixels are made, and libvips does not own; lives as long.
  private let basis: PinnedBytes?

  private init(owning image: OpaquePointer, basis: PinnedBytes?) {
    self.image = image
    self.basis = basis
    colour =
      switch cvips_colour(image) {
      case CVIPS_GREY: .grey
      case CVIPS_CMYK: .cmyk
      default: .rgb
      }
  }

  deinit { cvips_release_image(image) }

  var width: Int { Int(vips_image_get_width(image)) }
  var height: Int { Int(vips_image_get_height(image)) }
  var bands: Int { Int(vips_image_get_bands(image)) }
  var hasAlpha: Bool { vips_image_hasalpha(image) != 0 }
  var isWide: Bool { cvips_sample(image) == CVIPS_UINT16 }

  /// The ICC profile that the decoder found.
  var profile: [UInt8]? {
    var bytes: UnsafeRawPointer?
    var count = 0
    guard vips_image_get_blob(image, "icc-profile-data", &bytes, &count) == 0, let bytes else {
      vips_error_clear()
      return nil
    }
    return [UInt8](unsafeUninitializedCapacity: count) { target, filled in
      UnsafeMutableRawBufferPointer(target).copyMemory(from: UnsafeRawBufferPointer(start: bytes, count: count))
      filled = count
    }
  }

  // MARK: Sources

  /// Opens `bytes`, to be decoded row by row, top to bottom. Throws `image_corrupt` where the decoder refuses the header,
  /// `image_unsupported` for sample or colour kinds that no format here has.
  static func opened(_ bytes: [UInt8], loader: CVipsLoader, scale: Double = 1) throws(AvatarError) -> Picture {
    let basis = PinnedBytes(bytes)
    guard let image = basis.withBytes({ cvips_load(loader, $0.baseAddress, $0.count, scale) }) else {
      throw .corrupt("does not open: \(takeFault())")
    }
    let picture = Picture(owning: image, basis: basis)
    let bands = picture.bands
    guard cvips_sample(image) != CVIPS_OTHER_SAMPLE, (1...4).contains(bands),
      cvips_colour(image) == (bands <= 2 ? CVIPS_GREY : CVIPS_RGB)
    else { throw .unsupported("\(bands) bands of an unknown kind") }
    return picture
  }

  /// A picture of pixels that are there.
  static func of(_ raster: Raster) throws(AvatarError) -> Picture {
    let meaning =
      switch raster.colour {
      case .grey: CVIPS_GREY
      case .rgb: CVIPS_RGB
      case .cmyk: CVIPS_CMYK
      }
    return try from(raster.pixels) { out in
      raster.pixels.withBytes {
        cvips_from_pixels(
          $0.baseAddress, $0.count, Int32(raster.width), Int32(raster.height), Int32(raster.bands), meaning, out)
      }
    }
  }

  // MARK: Steps

  func cropped(_ columns: Range<Int>, _ rows: Range<Int>) throws(AvatarError) -> Picture {
    try then {
      cvips_crop($0, Int32(columns.lowerBound), Int32(rows.lowerBound), Int32(columns.count), Int32(rows.count), $1)
    }
  }

  /// With 8 bits a sample.
  func narrowed() throws(AvatarError) -> Picture { isWide ? try then { cvips_narrow($0, $1) } : self }

  /// The right way up (EXIF 2.3, tag 274).
  func turned(by orientation: Int) throws(AvatarError) -> Picture {
    let (quarters, isMirrored): (UInt32, Bool) =
      switch orientation {
      case 2: (0, true)
      case 3: (2, false)
      case 4: (2, true)
      case 5: (1, true)
      case 6: (1, false)
      case 7: (3, true)
      case 8: (3, false)
      default: (0, false)
      }
    let upright = quarters == 0 ? self : try then { cvips_rotate($0, quarters, $1) }
    return isMirrored ? try upright.then { cvips_mirror($0, $1) } : upright
  }

  /// In sRGB from `profile`; nil where the colour engine refuses it.
  func converted(from profile: [UInt8]) -> Picture? {
    try? then { image, out in
      profile.withUnsafeBytes { cvips_colour_managed(image, $0.baseAddress, $0.count, out) }
    }
  }

  /// In red, green and blue without a profile, as browsers show it: grey is sRGB's, inks dim white.
  func inColour() throws(AvatarError) -> Picture {
    switch colour {
    case .grey: try then { cvips_in_colour($0, $1) }
    case .cmyk: try then { cvips_inks_on_white($0, $1) }
    case .rgb: self
    }
  }

  /// With its transparency on `ground`; it must be in colour.
  func flattened(on ground: [Double]) throws(AvatarError) -> Picture {
    hasAlpha ? try then { cvips_flatten($0, ground, $1) } : self
  }

  /// In the middle of a square of `ground`.
  func centred(side: Int, on ground: [Double]) throws(AvatarError) -> Picture {
    guard width != side || height != side else { return self }
    let (left, top) = (Int32((side - width) / 2), Int32((side - height) / 2))
    return try then { cvips_embed($0, left, top, Int32(side), Int32(side), ground, $1) }
  }

  /// Runs `step`, which has our image and a place for a new one.
  private func then(
    _ step: (OpaquePointer, UnsafeMutablePointer<OpaquePointer?>) -> Int32
  ) throws(AvatarError) -> Picture {
    try Self.from(basis) { step(image, $0) }
  }

  private static func from(
    _ basis: PinnedBytes?, _ make: (UnsafeMutablePointer<OpaquePointer?>) -> Int32
  ) throws(AvatarError) -> Picture {
    var result: OpaquePointer?
    guard make(&result) == 0, let result else { throw AvatarError(.internalFault, "libvips: \(takeFault())") }
    return Picture(owning: result, basis: basis)
  }

  // MARK: Pixels

  /// Its pixels, which must have 8 bits a sample. Throws `image_corrupt` where the data ends early or cannot be decoded.
  func evaluated() throws(AvatarError) -> Raster {
    let pixels = PinnedBytes(count: width * height * bands)
    var filled = 0
    try readStrips(from: 0, columns: width) { rows in
      pixels.withBytes { UnsafeMutableRawBufferPointer(rebasing: $0[filled...]).copyMemory(from: rows) }
      filled += rows.count
    }
    return Raster(pixels, width: width, height: height, bands: bands, colour: colour)
  }

  /// Its rows of 8-bit pixels, from top to bottom. Throws like `evaluated`.
  func readRows(_ take: (UnsafeRawBufferPointer) -> Void) throws(AvatarError) {
    let rowBytes = width * bands
    try readStrips(from: 0, columns: width) { strip in
      for start in stride(from: 0, to: strip.count, by: rowBytes) {
        take(UnsafeRawBufferPointer(rebasing: strip[start..<start + rowBytes]))
      }
    }
  }

  /// Decodes the rows from `first` on, if only to know whether they are there. Throws like `evaluated`.
  func checkRows(from first: Int) throws(AvatarError) {
    try readStrips(from: first, columns: 1) { _ in }
  }

  /// In the calling thread and in strips: libvips' own way starts a thread, and ends by letting go of what a decoder
  /// needs to read on below a crop.
  private func readStrips(
    from first: Int, columns: Int, _ take: (UnsafeRawBufferPointer) -> Void
  ) throws(AvatarError) {
    guard let region = vips_region_new(image) else { throw AvatarError(.internalFault, "no region") }
    defer { cvips_release_region(region) }
    for row in stride(from: first, to: height, by: 32) {
      var count = 0
      guard let rows = cvips_fetch(region, 0, Int32(row), Int32(columns), Int32(min(32, height - row)), &count) else {
        throw .corrupt("does not decode: \(Self.takeFault())")
      }
      defer { cvips_free(rows) }
      take(UnsafeRawBufferPointer(start: rows, count: count))
    }
  }

  /// What libvips says of its last fault, which it then forgets.
  private static func takeFault() -> String {
    defer { vips_error_clear() }
    return String(String(cString: vips_error_buffer()).prefix(300))
  }
}
