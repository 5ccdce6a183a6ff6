internal import AvatarCore

/// How a decoded picture becomes an avatar: cropped first, resized while it is read, then turned, brought to sRGB and put on
/// the background at its final size.
struct AvatarDrawing {
  private let recipe: Recipe
  private let orientation: Int
  private let profile: [UInt8]?
  private let ground: [Double]

  /// `profile` may be garbage.
  init(recipe: Recipe, orientation: Int, profile: [UInt8]?) {
    self.recipe = recipe
    self.orientation = orientation
    self.profile = profile
    ground = [16, 8, 0].map { Double(recipe.background >> $0 & 255) }
  }

  /// The finished square of `source`, in memory, and whether its profile counted. Throws `image_corrupt` where its data ends
  /// early, even below what is used of it.
  func square(of source: Picture, _ window: Window) throws(AvatarError) -> (Picture, usedProfile: Bool) {
    let use = profileUse(for: source)
    var picture = try source.cropped(window.columns, window.rows).narrowed()
    if case .convert = use {} else { picture = try picture.inColour().flattened(on: ground) }
    picture = try picture.resized(across: window.across, down: window.down).evaluated()
    try source.checkRows(from: window.rows.upperBound)
    picture = try picture.turned(by: orientation)
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

  private enum ProfileUse {
    case ignore
    case isSRGB
    case convert([UInt8])
  }

  /// A profile counts if it is one for pixels of this kind.
  private func profileUse(for picture: Picture) -> ProfileUse {
    guard let profile, let icc = ICCProfile(profile) else { return .ignore }
    switch (icc.colourSpace, picture.colour) {
    case (.rgb, .rgb): return icc.isSRGB ? .isSRGB : .convert(profile)
    case (.grey, .grey), (.cmyk, .cmyk): return .convert(profile)
    default: return .ignore
    }
  }
}
