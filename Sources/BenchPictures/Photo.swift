/// How a photo is made: a scene, hills of light and dark in several octaves, fine texture and a sensor's noise.
///
/// Texture and noise are what a JPEG's bytes are spent on; their strengths are chosen so that the files are as large as
/// those that people upload.
struct Photo {
  let width: Int
  let height: Int
  var frames = 1
  /// Strength of what varies over about eight pixels, in steps of 255.
  let texture: Double
  /// Standard deviation from pixel to pixel, in steps of 255.
  let noise: Double

  /// Paints it and hands it to `save` for as long as that takes.
  func paint(
    _ numbers: inout SeededNumbers, save: (Canvas) throws(PictureFault) -> [UInt8]
  ) throws(PictureFault) -> [UInt8] {
    // An eighth of a large picture is enough for soft shapes; the upscaling is libvips' work.
    let reduction = max(2, width / 256)
    let scene = Scene(
      width: width / reduction, height: height / reduction, frames: frames, numbers: &numbers)
    let fine = try fine(&numbers)
    let octaves = [(part: 3, light: 45.0), (6, 30), (12, 18), (24, 12)].map { ($0.part, $0.light, numbers.vipsSeed()) }
    let result = scene.pixels.withUnsafeBytes { pixels -> Result<[UInt8], PictureFault> in
      do throws(PictureFault) {
        var canvas = try Canvas.of(pixels, width: scene.width, height: scene.height, bands: 3)
        for (part, light, seed) in octaves where frames == 1 {
          let hills = try Canvas.clouds(
            width: scene.width, height: scene.height, cell: max(2, scene.width / part), seed: seed)
          canvas = try canvas.plus(try hills.times(light))
        }
        canvas = try canvas.resized(width: width, height: height * frames)
        if let fine { canvas = try canvas.plus(try fine.tiled(width: width, height: height)) }
        return .success(try save(try canvas.inBytes()))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// One tile, for all of the picture: making noise takes longer than all the rest.
  private func fine(_ numbers: inout SeededNumbers) throws(PictureFault) -> Canvas? {
    guard texture > 0 || noise > 0 else { return nil }
    let side = min(width, 512)
    // No two photos have the same light.
    let light = numbers.within(0.9...1.1)
    let grain = try Canvas.grain(width: side, height: side, sigma: noise * light, seed: numbers.vipsSeed())
    let weave = try Canvas.clouds(width: side, height: side, cell: 8, seed: numbers.vipsSeed())
    return try grain.plus(try weave.times(texture))
  }
}
