internal import AvatarCore

/// What a decoder gives.
enum Decoded {
  /// Pixels to be made, by libvips.
  case picture(Picture)
  /// Pixels that are there, from libjpeg-turbo.
  case raster(Raster)

  var colour: Picture.Colour {
    switch self {
    case .picture(let picture): picture.colour
    case .raster(let raster): raster.colour
    }
  }
  var hasAlpha: Bool {
    switch self {
    case .picture(let picture): picture.hasAlpha
    case .raster(let raster): raster.hasAlpha
    }
  }
  /// The ICC profile that libvips' decoder found.
  var profile: [UInt8]? { if case .picture(let picture) = self { picture.profile } else { nil } }
}

/// How a decoded picture becomes an avatar: cropped first, resized while it is read, then turned, brought to sRGB and put on
/// the background at its final size.
struct AvatarDrawing {
  private let recipe: Recipe
  private let orientation: Int
  private let profile: [UInt8]?
  private let ground: [Double]
  private let axes: ResamplingAxes
  private let betweenRows: () -> Void

  /// `profile` may be garbage.
  init(
    recipe: Recipe, orientation: Int, profile: [UInt8]?, axes: ResamplingAxes, betweenRows: @escaping () -> Void = {}
  ) {
    self.axes = axes
    self.betweenRows = betweenRows
    self.recipe = recipe
    self.orientation = orientation
    self.profile = profile
    ground = [16, 8, 0].map { Double(recipe.background >> $0 & 255) }
  }

  /// The finished square of `source`, and whether its profile counted. Throws `image_corrupt` where its data ends early,
  /// even below what is used of it.
  func square(of source: Decoded, _ window: Window) throws(AvatarError) -> (Raster, usedProfile: Bool) {
    let use = profileUse(for: source)
    var keepsColours = false
    if case .convert = use { keepsColours = true }
    let small = try resized(source, window, keepsColours: keepsColours)
    if !keepsColours, orientation == 1, small.isPlain, small.width == recipe.size, small.height == recipe.size {
      if case .isSRGB = use { return (small, true) }
      return (small, false)
    }
    var picture = try Picture.of(small).turned(by: orientation)
    var usedProfile = false
    switch use {
    case .ignore: break
    case .isSRGB: usedProfile = true
    case .convert(let profile):
      if let converted = picture.converted(from: profile) { (picture, usedProfile) = (converted, true) }
    }
    picture = try picture.inColour().flattened(on: ground).centred(side: recipe.size, on: ground)
    return (try picture.evaluated(), usedProfile)
  }

  /// The window's part of `source` at its final size: with its own colours, or in red, green and blue on the background.
  private func resized(_ source: Decoded, _ window: Window, keepsColours: Bool) throws(AvatarError) -> Raster {
    if case .raster(let raster) = source, keepsColours || raster.isPlain {
      var resampler = Resampler(
        window, bands: raster.bands, hasAlpha: raster.hasAlpha, colour: raster.colour, axes: axes)
      raster.withRows(window.rows, columns: window.columns) { resampler.take($0) }
      return resampler.finish()
    }
    let whole: Picture
    switch source {
    case .picture(let picture): whole = picture
    case .raster(let raster): whole = try Picture.of(raster)
    }
    var picture = try whole.cropped(window.columns, window.rows).narrowed()
    if !keepsColours { picture = try picture.inColour().flattened(on: ground) }
    let small: Raster
    if window.keepsSize {
      small = try picture.evaluated()
    } else {
      var resampler = Resampler(
        window, bands: picture.bands, hasAlpha: picture.hasAlpha, colour: picture.colour, axes: axes)
      try picture.readRows {
        resampler.take($0)
        betweenRows()
      }
      small = resampler.finish()
    }
    try whole.checkRows(from: window.rows.upperBound)
    return small
  }

  private enum ProfileUse {
    case ignore
    case isSRGB
    case convert([UInt8])
  }

  /// A profile counts if it is one for pixels of this kind.
  private func profileUse(for source: Decoded) -> ProfileUse {
    guard let profile, let icc = ICCProfile(profile) else { return .ignore }
    switch (icc.colourSpace, source.colour) {
    case (.rgb, .rgb): return icc.isSRGB ? .isSRGB : .convert(profile)
    case (.grey, .grey), (.cmyk, .cmyk): return .convert(profile)
    default: return .ignore
    }
  }
}
