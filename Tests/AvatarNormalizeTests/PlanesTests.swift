import AvatarCore
import Glibc
import Testing

@testable import AvatarNormalize

/// The short way of a JPEG, plane by plane, beside the long one by way of red, green and blue.
struct PlanesTests {
  /// Waves of light and colour, and edges between strong ones: chroma that lay a pixel beside its luma would show.
  private func painting(_ width: Int, _ height: Int) -> Raster {
    let pixels = PinnedBytes(count: width * height * 3)
    pixels.withBytes { bytes in
      for y in 0..<height {
        for x in 0..<width {
          let (across, down) = (Double(x) / Double(width), Double(y) / Double(height))
          let isInside = (across - 0.5) * (across - 0.5) + (down - 0.5) * (down - 0.5) < 0.1
          let light = 110 + 60 * sin(9 * across + 4 * down)
          let colour = [light + 60 * sin(60 * across), light + 50 * cos(50 * down), isInside ? 230 - light : light]
          for band in 0..<3 { bytes[(y * width + x) * 3 + band] = UInt8(max(0, min(255, colour[band]))) }
        }
      }
    }
    return Raster(pixels, width: width, height: height, bands: 3, colour: .rgb)
  }

  private struct Routes {
    let axes = ResamplingAxes()
    let decoder: JPEGDecoder
    let writer: JPEGWriter

    init() throws(AvatarError) {
      try VipsLibrary.start()
      (decoder, writer) = (try JPEGDecoder(axes: axes), try JPEGWriter())
    }

    func jpeg(_ raster: Raster, quality: Int) throws(AvatarError) -> [UInt8] {
      try writer.write(.raster(raster), recipe: Recipe(quality: quality, minimumQuality: quality)).jpeg
    }

    func short(_ source: [UInt8], _ recipe: Recipe, orientation: Int = 1) throws(AvatarError) -> [UInt8]? {
      let header = try ImageHeader(of: source)
      let placement = Placement(width: header.width, height: header.height, recipe: recipe)
      guard let planes = try decoder.planes(header, placement: placement) else { return nil }
      return try pixels(writer.write(.planes(planes.turned(by: orientation)), recipe: recipe).jpeg)
    }

    func long(_ source: [UInt8], _ recipe: Recipe, orientation: Int = 1) throws(AvatarError) -> [UInt8] {
      let header = try ImageHeader(of: source)
      let placement = Placement(width: header.width, height: header.height, recipe: recipe)
      let (raster, window) = try decoder.decode(header, placement: placement)
      let drawing = AvatarDrawing(recipe: recipe, orientation: orientation, profile: nil, axes: axes)
      let square = try drawing.square(of: .raster(raster), window).0
      return try pixels(writer.write(.raster(square), recipe: recipe).jpeg)
    }

    private func pixels(_ jpeg: [UInt8]) throws(AvatarError) -> [UInt8] {
      let header = try ImageHeader(of: jpeg)
      let whole = Placement(width: header.width, height: header.height, recipe: Recipe(size: header.width))
      return try decoder.decode(header, placement: whole).0.pixels.withBytes { Array($0) }
    }
  }

  /// In decibels; 99 for what is the same.
  private func nearness(_ a: [UInt8], _ b: [UInt8]) -> Double {
    let squares = zip(a, b).reduce(0.0) { $0 + pow(Double($1.0) - Double($1.1), 2) }
    return squares == 0 ? 99 : 10 * log10(255 * 255 * Double(a.count) / squares)
  }

  @Test(arguments: [
    // Chroma halved below quality 90, whole from there on.
    (256, 256, 85), (256, 256, 95), (400, 400, 85), (400, 400, 95), (1024, 1024, 85), (1024, 1024, 95), (640, 480, 85),
    (480, 640, 95), (2600, 2600, 85), (100, 100, 85), (90, 60, 95), (642, 480, 85), (398, 402, 85),
  ])
  func `both ways come to the same picture`(_ width: Int, _ height: Int, _ quality: Int) throws {
    let routes = try Routes()
    let source = try routes.jpeg(painting(width, height), quality: quality)
    // The finer the waves are for the avatar, the more the two ways of halving their chroma differ.
    for (size, wanted) in [(64, 32.0), (256, 37)] {
      let recipe = Recipe(size: size, targetBytes: 1 << 20)
      let short = try #require(try routes.short(source, recipe))
      let nearness = nearness(short, try routes.long(source, recipe))
      #expect(nearness > wanted, "\(width)×\(height) at \(quality) to \(size): \(nearness) dB")
    }
  }

  @Test(arguments: 1...8)
  func `turned pictures come to the same on both ways, and each to another`(_ orientation: Int) throws {
    let routes = try Routes()
    let recipe = Recipe(size: 256, targetBytes: 1 << 20)
    let source = try routes.jpeg(painting(640, 480), quality: 85)
    let short = try #require(try routes.short(source, recipe, orientation: orientation))
    for other in 1...8 {
      let nearness = nearness(short, try routes.long(source, recipe, orientation: other))
      #expect(other == orientation ? nearness > 37 : nearness < 30, "\(orientation), \(other): \(nearness) dB")
    }
  }

  /// Few coefficients of a block are enough where much is reduced, and there are no fewer than enough.
  @Test(arguments: [(1024, 256), (1000, 256), (768, 256), (512, 256), (490, 256), (400, 256), (256, 256), (1024, 64)])
  func `what is left out of the coefficients is not seen`(_ side: Int, _ size: Int) throws {
    let routes = try Routes()
    let source = try routes.jpeg(painting(side, side), quality: 95)
    let header = try ImageHeader(of: source)
    let recipe = Recipe(size: size)
    let planes = try #require(
      try routes.decoder.planes(header, placement: Placement(width: side, height: side, recipe: recipe)))
    // All of the samples, and one step of the formula.
    let whole = Placement(width: side, height: side, recipe: Recipe(size: side))
    let samples = try routes.decoder.decode(header, placement: whole).0
    let axis = ResamplingAxis(inputs: side, outputs: size, scale: Double(size) / Double(side))
    func reduced(_ lines: [[Double]]) -> [[Double]] {
      lines.map { line in
        (0..<size).map { output in
          var sum = 0.0
          axis.weights.withWeights(of: output) { weights in
            for tap in 0..<axis.weights.taps { sum += Double(weights[tap]) * line[axis.first(of: output) + tap] }
          }
          return sum
        }
      }
    }
    let light = samples.pixels.withBytes { bytes in
      (0..<side).map { y in
        (0..<side).map { x in
          let place = (y * side + x) * 3
          return 0.299 * Double(bytes[place]) + 0.587 * Double(bytes[place + 1]) + 0.114 * Double(bytes[place + 2])
        }
      }
    }
    let across = reduced(light)
    let down = reduced((0..<size).map { x in across.map { $0[x] } })
    let wanted = (0..<size).flatMap { y in (0..<size).map { x in UInt8(max(0, min(255, down[x][y].rounded()))) } }
    let nearness = nearness(planes.luma.withBytes { Array($0) }, wanted)
    #expect(nearness > 46.5, "\(side) to \(size): \(nearness) dB")
  }

  @Test(arguments: ["waves-422.jpg", "waves-progressive.jpg"])
  func `chroma halved one way, and scans by themselves, come to the same picture`(_ name: String) throws {
    let routes = try Routes()
    let recipe = Recipe(size: 64, targetBytes: 1 << 20)
    let source = try sample(name)
    let short = try #require(try routes.short(source, recipe))
    #expect(nearness(short, try routes.long(source, recipe)) > 36)
  }

  /// What has come of it is smoothed by the library, which planes of coefficients would show as squares.
  @Test func `a progressive picture that lacks scans goes the long way`() throws {
    let routes = try Routes()
    let whole = try sample("waves-progressive.jpg")
    let scans = whole.indices.dropLast().filter { whole[$0] == 0xFF && whole[$0 + 1] == 0xDA }
    #expect(scans.count > 2)
    for scan in scans.dropFirst() {
      let part = Array(whole[..<scan]) + [0xFF, 0xD9]
      #expect(try routes.short(part, Recipe(size: 64)) == nil)
      let (jpeg, _) = try SharedNormalizer.normalize(part, Recipe(size: 64), ImageLimits())
      #expect(try ImageHeader(of: jpeg).width == 64)
    }
  }

  @Test func `a shift of chroma by one pixel would have been seen`() throws {
    // What the comparison above is worth: the same painting with its colours a pixel to the right of its light.
    let routes = try Routes()
    let painting = painting(256, 256)
    let recipe = Recipe(size: 256, targetBytes: 1 << 20)
    let straight = try routes.long(try routes.jpeg(painting, quality: 95), recipe)
    let shifted = PinnedBytes(count: 256 * 256 * 3)
    painting.pixels.withBytes { bytes in
      shifted.withBytes { target in
        for pixel in 0..<256 * 256 {
          let left = pixel % 256 == 0 ? pixel : pixel - 1
          func light(_ at: Int) -> Double {
            0.299 * Double(bytes[3 * at]) + 0.587 * Double(bytes[3 * at + 1]) + 0.114 * Double(bytes[3 * at + 2])
          }
          for band in 0..<3 {
            target[3 * pixel + band] = UInt8(
              max(0, min(255, Double(bytes[3 * left + band]) + light(pixel) - light(left))))
          }
        }
      }
    }
    let raster = Raster(shifted, width: 256, height: 256, bands: 3, colour: .rgb)
    #expect(nearness(straight, try routes.long(try routes.jpeg(raster, quality: 95), recipe)) < 35)
  }

  @Test func `what planes cannot be made of goes the long way`() throws {
    let routes = try Routes()
    // Grey, inks, an odd crop whose chroma would lie beside its luma, a strip of which little is used, a side that is no multiple of 16.
    for name in ["grey.jpg", "cmyk.jpg"] {
      #expect(try routes.short(try sample(name), Recipe(size: 64)) == nil, "\(name)")
    }
    let even = try routes.jpeg(painting(320, 240), quality: 85)
    #expect(try routes.short(try routes.jpeg(painting(17, 17), quality: 85), Recipe(size: 64)) == nil)
    #expect(try routes.short(try routes.jpeg(painting(900, 300), quality: 85), Recipe(size: 64)) == nil)
    #expect(try routes.short(even, Recipe(size: 100)) == nil)
    #expect(try routes.short(even, Recipe(size: 64, fit: .contain)) == nil)
    #expect(try routes.short(even, Recipe(size: 64)) != nil)
    // The normalizer takes the long way for them, and for a quality whose chroma is not halved.
    for recipe in [Recipe(size: 100), Recipe(size: 64, fit: .contain), Recipe(size: 64, quality: 95)] {
      let (jpeg, _) = try SharedNormalizer.normalize(even, recipe, ImageLimits())
      #expect(try ImageHeader(of: jpeg).width == recipe.size)
    }
  }

  @Test func `a JPEG of another size than its header's is corrupt on either way`() throws {
    // As where a file has two frame headers, and two readers take one each.
    let routes = try Routes()
    var header = try ImageHeader(of: try routes.jpeg(painting(256, 256), quality: 85))
    let placement = Placement(width: 256, height: 256, recipe: Recipe(size: 64))
    for (width, height) in [(256, 200), (64, 256), (64, 64), (512, 512)] {
      header.essence = try ImageHeader(of: try routes.jpeg(painting(width, height), quality: 85)).essence
      let short = #expect(throws: AvatarError.self) { try routes.decoder.planes(header, placement: placement) }
      let long = #expect(throws: AvatarError.self) { try routes.decoder.decode(header, placement: placement) }
      #expect(short?.code == .imageCorrupt && long?.code == .imageCorrupt, "\(width)×\(height)")
    }
  }

  @Test func `data that ends early is corrupt on both ways, below the crop as well`() throws {
    let routes = try Routes()
    let source = try routes.jpeg(painting(480, 640), quality: 85)
    for part in [0.3, 0.6, 0.97] {
      let cut = Array(source.prefix(Int(Double(source.count) * part)))
      let error = #expect(throws: AvatarError.self) { try routes.short(cut, Recipe(size: 64)) }
      let long = #expect(throws: AvatarError.self) { try routes.long(cut, Recipe(size: 64)) }
      #expect(error?.code == .imageCorrupt && long?.code == .imageCorrupt, "\(part)")
      // The decoder is good for the next one.
      #expect(try routes.short(source, Recipe(size: 64)) != nil)
    }
  }
}
