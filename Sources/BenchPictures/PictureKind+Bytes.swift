extension PictureKind {
  /// The bytes of one picture of this kind.
  func bytes(seed: UInt64, variation: Int) throws(PictureFault) -> [UInt8] {
    var numbers = SeededNumbers(seed: seed, kind: self, variation: variation)
    switch self {
    case .jpeg400:
      return try Photo(width: 400, height: 400, texture: 24, noise: 8).paint(&numbers) { canvas throws(PictureFault) in
        try canvas.jpeg(quality: 88)
      }
    case .jpeg1024:
      return try Photo(width: 1024, height: 1024, texture: 20, noise: 6).paint(&numbers) {
        canvas throws(PictureFault) in
        try canvas.jpeg(quality: 84)
      }
    case .jpeg12MP:
      let photo = try Photo(width: 4000, height: 3000, texture: 18, noise: 9).paint(&numbers) {
        canvas throws(PictureFault) in
        try canvas.jpeg(quality: 88)
      }
      return JPEGOrientation.quarterTurn.inserted(in: photo)
    case .png512:
      let cutOut = Scene.cutOut(side: 512, numbers: &numbers)
      return try Photo(width: 512, height: 512, texture: 4, noise: 0.6).paint(&numbers) {
        canvas throws(PictureFault) in
        try Self.savedPNG(canvas, cutOut)
      }
    case .webP512:
      return try Photo(width: 512, height: 512, texture: 20, noise: 7).paint(&numbers) {
        canvas throws(PictureFault) in
        try canvas.webP(quality: 80)
      }
    case .gif256:
      return try Photo(width: 256, height: 256, frames: 4, texture: 0, noise: 0).paint(&numbers) {
        canvas throws(PictureFault) in
        try canvas.gif(frameHeight: 256)
      }
    case .svg: return Array(Drawing.logo(&numbers).utf8)
    case .bombPNG: return PNGBomb(width: 20_000 + 8 * variation, height: 20_000).bytes
    case .truncatedJPEG:
      let whole = try PictureKind.jpeg400.bytes(seed: seed, variation: variation)
      return Array(whole.prefix(whole.count * 6 / 10))
    case .garbage:
      // The first byte belongs to no format's mark.
      return [0] + (1..<20_000).map { _ in UInt8(truncatingIfNeeded: numbers.next() >> 32) }
    case .html: return Array(Drawing.page(variation).utf8)
    case .svgBomb: return Array(Drawing.bomb(variation).utf8)
    }
  }

  private static func savedPNG(_ canvas: Canvas, _ alpha: [UInt8]) throws(PictureFault) -> [UInt8] {
    let result = alpha.withUnsafeBytes { alpha -> Result<[UInt8], PictureFault> in
      do throws(PictureFault) {
        let mask = try Canvas.of(alpha, width: canvas.width, height: canvas.height, bands: 1)
        return .success(try canvas.withAlpha(mask).png())
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}
