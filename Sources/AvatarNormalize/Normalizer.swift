public import AvatarCore
internal import CVips

/// Turns an untrusted source image into an avatar: a baseline sRGB JPEG of the recipe's size, right way up, without metadata.
///
/// One thread, one image at a time, any number of images. After `init` nothing needs to be opened any more: the process may
/// give up files, sockets and new programs.
public final class Normalizer {
  private let decoder: JPEGDecoder
  private let writer: JPEGWriter
  private let axes = ResamplingAxes()
  private let betweenRows: () -> Void

  /// Starts libvips with the wanted decoders alone and runs one tiny sample through each of them.
  ///
  /// `betweenRows` is called every few rows of what takes long, for whoever has to let others have their turn.
  /// Throws `internal`, naming the format, where a decoder is not there or does not work.
  public init(betweenRows: @escaping () -> Void = {}) throws(AvatarError) {
    try VipsLibrary.start()
    self.betweenRows = betweenRows
    decoder = try JPEGDecoder(axes: axes, betweenRows: betweenRows)
    writer = try JPEGWriter()
    try warmUp()
  }

  /// Makes the avatar of `source`.
  ///
  /// Throws `source_empty`, `image_unsupported`, `image_corrupt` or `image_too_many_pixels`, each of them by looking at
  /// the source alone: the same source gets the same answer. `limits.decodeTimeout` is the caller's to enforce.
  public func normalize(
    _ source: [UInt8], recipe: Recipe, limits: ImageLimits
  ) throws(AvatarError) -> (jpeg: [UInt8], facts: ImageFacts) {
    let header = try ImageHeader(of: source, limits: limits)
    try header.check(against: limits)
    var facts = ImageFacts(
      format: header.format.rawValue, width: header.width, height: header.height, orientation: header.orientation,
      frames: header.frames)
    let square: JPEGWriter.Square
    if let planes = try planes(header, recipe, &facts) {
      square = .planes(planes.turned(by: header.orientation))
    } else {
      let (decoded, window) = try decode(header, recipe, limits)
      facts.hasAlpha = decoded.hasAlpha
      let drawing = AvatarDrawing(
        recipe: recipe, orientation: header.orientation, profile: header.profile ?? decoded.profile, axes: axes,
        betweenRows: betweenRows)
      let raster: Raster
      (raster, facts.usedProfile) = try drawing.square(of: decoded, window)
      square = .raster(raster)
    }
    let jpeg: [UInt8]
    (jpeg, facts.quality) = try writer.write(square, recipe: recipe)
    return (jpeg, facts)
  }

  /// The short way, for a JPEG in sRGB: its planes become the avatar's, not turned yet; nil for any other.
  private func planes(
    _ header: ImageHeader, _ recipe: Recipe, _ facts: inout ImageFacts
  ) throws(AvatarError) -> Planes? {
    guard header.format == .jpeg, recipe.quality < JPEGWriter.fullChromaQuality else { return nil }
    let profile = header.profile.flatMap { ICCProfile($0) }
    if let profile, profile.colourSpace == .rgb, !profile.isSRGB { return nil }
    let placement = Placement(width: header.width, height: header.height, recipe: recipe)
    guard let planes = try decoder.planes(header, placement: placement) else { return nil }
    facts.usedProfile = profile?.isSRGB ?? false
    return planes
  }

  private func decode(
    _ header: ImageHeader, _ recipe: Recipe, _ limits: ImageLimits
  ) throws(AvatarError) -> (Decoded, Window) {
    let placement = Placement(width: header.width, height: header.height, recipe: recipe)
    let picture: Picture
    switch header.format {
    case .jpeg:
      let (raster, window) = try decoder.decode(header, placement: placement)
      return (.raster(raster), window)
    case .webp:
      if let (raster, window) = try WebPDecoder.decode(header, placement: placement) {
        return (.raster(raster), window)
      }
      picture = try Picture.opened(header.essence, loader: CVIPS_WEBP)
    case .png: picture = try Picture.opened(header.essence, loader: CVIPS_PNG)
    case .gif: picture = try Picture.opened(header.essence, loader: CVIPS_GIF)
    case .avif, .heic: picture = try Picture.opened(header.essence, loader: CVIPS_HEIF)
    case .svg:
      var (drawnWidth, drawnHeight) = (header.drawnWidth, header.drawnHeight)
      if drawnWidth == nil || drawnHeight == nil {
        // Neither size nor view box: the extent of what is drawn counts.
        let extent = try Picture.opened(header.essence, loader: CVIPS_SVG)
        (drawnWidth, drawnHeight) = (Double(extent.width), Double(extent.height))
      }
      let scale = header.drawingScale(width: drawnWidth ?? 1, height: drawnHeight ?? 1, recipe: recipe)
      picture = try Picture.opened(header.essence, loader: CVIPS_SVG, scale: scale)
    }
    // What is decoded has the last word on the size: a container turns its picture, a drawing is made to measure.
    let (width, height) = (picture.width, picture.height)
    let limit = header.isDecodedWhole ? limits.maxPixelsWhole : limits.maxPixels
    guard width.multipliedReportingOverflow(by: height).partialValue <= limit else {
      throw AvatarError(.imageTooManyPixels, "\(width)×\(height) pixels decoded, limit \(limit)")
    }
    let decoded = Placement(width: width, height: height, recipe: recipe)
    return (.picture(picture), decoded.window(divisors: (1, 1), width: width, height: height))
  }

  private func warmUp() throws(AvatarError) {
    for sample in WarmUpSample.all {
      do throws(AvatarError) {
        // The samples are larger, so that everything there is runs once.
        _ = try normalize(sample.bytes, recipe: Recipe(size: 12), limits: ImageLimits())
      } catch {
        throw AvatarError(.internalFault, "the \(sample.name) decoder does not work: \(error.detail)")
      }
    }
  }
}

extension AvatarError {
  static func corrupt(_ detail: String) -> Self { Self(.imageCorrupt, detail) }
  static func unsupported(_ detail: String) -> Self { Self(.imageUnsupported, detail) }
}
