/// How the whole picture meets the square.
public enum Fit: String, Hashable, Sendable, CaseIterable {
  /// Crops to the centre square (faces). The default.
  case cover
  /// Shows the whole picture on the background (logos).
  case contain
}

/// Everything in `image.*` that changes an avatar's bytes; a part of the cache key.
public struct Recipe: Hashable, Sendable {
  /// Raised whenever the code makes other bytes from the same source and settings.
  public static let version = 5

  /// Side of the square in pixels, 16…1024.
  public var size: Int
  /// JPEG quality to begin with, 1…100.
  public var quality: Int
  /// The lowest quality that is tried, 1…`quality`.
  public var minimumQuality: Int
  /// Quality is lowered while the output is over this many bytes.
  public var targetBytes: Int
  /// Red, green and blue under transparency, 0xRRGGBB.
  public var background: UInt32
  /// Crop or whole picture.
  public var fit: Fit

  /// Makes a recipe; the defaults are the contract's.
  public init(
    size: Int = 256, quality: Int = 82, minimumQuality: Int = 60, targetBytes: Int = 13 << 10,
    background: UInt32 = 0xFFFFFF, fit: Fit = .cover
  ) {
    self.size = size
    self.quality = quality
    self.minimumQuality = minimumQuality
    self.targetBytes = targetBytes
    self.background = background
    self.fit = fit
  }
}

/// What an image may cost before it is refused; not part of its identity.
public struct ImageLimits: Hashable, Sendable {
  /// Most pixels in the header of what is decoded row by row.
  public var maxPixels: Int
  /// Most pixels of what is decoded whole, and of pictures embedded in an SVG.
  public var maxPixelsWhole: Int
  /// CPU time for one image; the wall clock gets twice that.
  public var decodeTimeout: Duration

  /// Makes limits; the defaults are the contract's.
  public init(
    maxPixels: Int = 50_000_000, maxPixelsWhole: Int = 30_000_000, decodeTimeout: Duration = .seconds(2)
  ) {
    self.maxPixels = maxPixels
    self.maxPixelsWhole = maxPixelsWhole
    self.decodeTimeout = decodeTimeout
  }
}
