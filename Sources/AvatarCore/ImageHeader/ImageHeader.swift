/// What an image's header says, read before any pixel is decoded; every number in it is a claim of the source.
///
/// Reading costs time in proportion to the source's bytes and memory in proportion to nothing that it claims. Formats:
/// ITU-T T.81 (JPEG), ISO/IEC 15948 (PNG), GIF89a, RFC 9649 (WebP), ISO/IEC 23008-12 (HEIF), SVG 1.1.
public struct ImageHeader: Hashable, Sendable {
  /// The format by magic bytes.
  public var format: ImageFormat
  /// Stored width in pixels, 1 or more, before any turn.
  public var width: Int
  /// Stored height in pixels, 1 or more, before any turn.
  public var height: Int
  /// EXIF orientation to apply, 1…8; 1 where it is absent or not valid, and where the decoder turns the picture.
  public var orientation = 1
  /// Whether the decoder must hold the whole picture: the lower pixel limit applies.
  public var isDecodedWhole = false
  /// Frames as far as they are counted; 1 for a still.
  public var frames = 1
  /// The embedded ICC profile, where this reader extracts it (JPEG, WebP); it may be garbage.
  public var profile: [UInt8]?
  /// SVG: the size that the root of the essence has, in pixels; nil where only drawing tells.
  public var drawnWidth: Double?
  /// SVG: likewise.
  public var drawnHeight: Double?
  /// What the decoder gets: the source, or only those parts of it that make the first picture.
  public var essence: [UInt8]

  /// Reads the header of `source`.
  ///
  /// Throws `source_empty`, `image_unsupported` (not one of the formats, or a kind of one that is not decoded) or
  /// `image_corrupt` (the magic bytes fit and what follows does not).
  public init(of source: [UInt8], limits: ImageLimits = ImageLimits()) throws(AvatarError) {
    guard !source.isEmpty else { throw AvatarError(.sourceEmpty) }
    guard let format = ImageFormat(sniffing: source) else {
      throw AvatarError(.imageUnsupported, "no known magic bytes")
    }
    switch format {
    case .jpeg: self = try JPEGHeader.read(source)
    case .png: self = try PNGHeader.read(source)
    case .gif: self = try GIFHeader.read(source)
    case .webp: self = try WebPHeader.read(source)
    case .avif, .heic: self = try HEIFHeader.read(source, as: format)
    case .svg: self = try SVGDocument.read(source, limits: limits)
    }
    guard width > 0 && height > 0 else { throw .corrupt("a side of no pixels") }
  }

  init(format: ImageFormat, width: Int, height: Int, essence: [UInt8]) {
    self.format = format
    self.width = width
    self.height = height
    self.essence = essence
  }

  /// Refuses what would cost too much: `image_too_many_pixels`.
  public func check(against limits: ImageLimits) throws(AvatarError) {
    guard format != .svg else { return }
    let limit = isDecodedWhole ? limits.maxPixelsWhole : limits.maxPixels
    let (pixels, overflow) = width.multipliedReportingOverflow(by: height)
    guard !overflow && pixels <= limit else {
      throw AvatarError(.imageTooManyPixels, "\(width)×\(height) pixels, limit \(limit)")
    }
  }
}

extension AvatarError {
  static func corrupt(_ detail: String) -> Self { Self(.imageCorrupt, detail) }
  static func unsupported(_ detail: String) -> Self { Self(.imageUnsupported, detail) }
}
