internal import CVips
internal import Glibc

/// A picture in the making: the one owner of its image of libvips. Nothing is computed before a `save`.
final class Canvas {
  private let image: OpaquePointer

  private init(owning image: OpaquePointer) { self.image = image }
  deinit { cvips_release_image(image) }

  var width: Int { Int(vips_image_get_width(image)) }
  var height: Int { Int(vips_image_get_height(image)) }

  // MARK: Grounds

  /// Looks at `pixels`, which must live until the picture is saved; one band is grey, three are colour.
  static func of(
    _ pixels: UnsafeRawBufferPointer, width: Int, height: Int, bands: Int
  ) throws(PictureFault) -> Canvas {
    let meaning = bands == 1 ? CVIPS_GREY : CVIPS_RGB
    return try made {
      cvips_from_pixels(
        pixels.baseAddress, pixels.count, Int32(width), Int32(height), Int32(bands), meaning, $0)
    }
  }

  static func clouds(width: Int, height: Int, cell: Int, seed: Int32) throws(PictureFault) -> Canvas {
    try made { cvips_clouds(Int32(width), Int32(height), Int32(cell), seed, $0) }
  }

  static func grain(width: Int, height: Int, sigma: Double, seed: Int32) throws(PictureFault) -> Canvas {
    try made { cvips_grain(Int32(width), Int32(height), sigma, seed, $0) }
  }

  // MARK: Steps

  func resized(width: Int, height: Int) throws(PictureFault) -> Canvas {
    let (across, down) = (Double(width) / Double(self.width), Double(height) / Double(self.height))
    return try Self.made { cvips_resize(image, across, down, $0) }
  }

  func tiled(width: Int, height: Int) throws(PictureFault) -> Canvas {
    try Self.made { cvips_tiled(image, Int32(width), Int32(height), $0) }
  }

  func times(_ factor: Double) throws(PictureFault) -> Canvas { try Self.made { cvips_times(image, factor, $0) } }

  func plus(_ other: Canvas) throws(PictureFault) -> Canvas { try Self.made { cvips_sum(image, other.image, $0) } }

  /// With 8 bits a sample, too dark and too light ones clipped.
  func inBytes() throws(PictureFault) -> Canvas { try Self.made { cvips_as_bytes(image, $0) } }

  func withAlpha(_ alpha: Canvas) throws(PictureFault) -> Canvas {
    try Self.made { cvips_with_alpha(image, alpha.image, $0) }
  }

  // MARK: Files

  func jpeg(quality: Int32) throws(PictureFault) -> [UInt8] {
    try Self.saved { cvips_save_jpeg(image, quality, $0, $1) }
  }

  func webP(quality: Int32) throws(PictureFault) -> [UInt8] {
    try Self.saved { cvips_save_webp(image, quality, $0, $1) }
  }

  func png() throws(PictureFault) -> [UInt8] { try Self.saved { cvips_save_png(image, $0, $1) } }

  func gif(frameHeight: Int) throws(PictureFault) -> [UInt8] {
    try Self.saved { cvips_save_gif(image, Int32(frameHeight), $0, $1) }
  }

  // MARK: libvips

  private static func made(
    _ make: (UnsafeMutablePointer<OpaquePointer?>) -> Int32
  ) throws(PictureFault) -> Canvas {
    try started.get()
    var image: OpaquePointer?
    guard make(&image) == 0, let image else { throw fault() }
    return Canvas(owning: image)
  }

  private static func saved(
    _ save: (UnsafeMutablePointer<UnsafeMutableRawPointer?>, UnsafeMutablePointer<Int>) -> Int32
  ) throws(PictureFault) -> [UInt8] {
    var bytes: UnsafeMutableRawPointer?
    var count = 0
    guard save(&bytes, &count) == 0, let bytes else { throw fault() }
    defer { cvips_free(bytes) }
    return Array(UnsafeRawBufferPointer(start: bytes, count: count))
  }

  private static func fault() -> PictureFault {
    defer { vips_error_clear() }
    return PictureFault(description: "libvips: \(String(cString: vips_error_buffer()).prefix(300))")
  }

  /// Not `cvips_start`, which is for a decoder's process: one memory arena would be a bottleneck of a benchmark's threads.
  private static let started: Result<Void, PictureFault> = {
    // None of the loadable modules, megabytes of decoders, is needed.
    setenv("VIPSHOME", "/nonexistent", 1)
    guard vips_init("avatar-bench") == 0 else { return .failure(fault()) }
    vips_cache_set_max(0)
    // Vector code rounds otherwise than the plain one: the same bytes on every machine.
    vips_vector_set_enabled(0)
    return .success(())
  }()
}
