import AvatarCore
import Testing

@testable import AvatarNormalize

/// What comes out of whole pictures. libvips runs once a process and one picture at a time, as in the worker.
@Suite(.serialized)
struct NormalizerTests {
  @Test(arguments: [
    "baseline.jpg", "progressive.jpg", "restarts.jpg", "rgb.png", "palette.png", "interlaced.png", "still.webp",
    "still.avif", "still.heic", "moving.gif", "moving.webp", "moving.png",
  ])
  func `every format shows its first picture's centre square and nothing from beside it`(_ name: String) throws {
    let avatar = try Avatar(of: try sample(name))
    #expect(near(avatar.quarters, quad, 14), "\(name): \(avatar.quarters)")
    #expect(!avatar.shows([255, 0, 255, 255], within: 60), "\(name)")
  }

  @Test(arguments: [16, 20, 24, 30, 40, 50, 64, 75, 100, 120, 140, 150, 200, 333])
  func `a JPEG and a WebP show the same place at every scale that the decoder takes`(_ size: Int) throws {
    for name in ["baseline.jpg", "progressive.jpg", "restarts.jpg", "cmyk.jpg", "orientation-6.jpg", "still.webp"] {
      let avatar = try Avatar(of: try sample(name), recipe: Recipe(size: size, quality: 90, targetBytes: 1 << 20))
      #expect(near(avatar.quarters, quad, 20), "\(name) at \(size): \(avatar.quarters)")
      #expect(!avatar.shows([255, 0, 255, 255], within: 60), "\(name) at \(size)")
    }
  }

  @Test(arguments: (1...8).map { "orientation-\($0).jpg" } + ["orientation-6.png", "orientation-6.webp"])
  func `an EXIF turn is carried out before the crop`(_ name: String) throws {
    for fit in Fit.allCases {
      let avatar = try Avatar(of: try sample(name), recipe: Recipe(size: 64, fit: fit))
      // With contain the picture of 120×80 is 256×171, and its centre square 171 in the middle.
      let points =
        fit == .cover ? avatar.quarters : [(100, 100), (156, 100), (100, 156), (156, 156)].map(avatar.colour)
      #expect(near(points, quad, 16), "\(name) \(fit): \(points)")
    }
  }

  @Test func `contain shows the whole picture on the background`() throws {
    let avatar = try Avatar(
      of: try sample("baseline.jpg"), recipe: Recipe(size: 64, background: 0x0080FF, fit: .contain))
    #expect(near([avatar.colour(128, 10), avatar.colour(128, 246)], [[0, 128, 255, 255], [0, 128, 255, 255]], 6))
    #expect(near([avatar.colour(10, 128), avatar.colour(246, 128)], [[255, 0, 255, 255], [255, 0, 255, 255]], 12))
  }

  @Test func `an answer is a baseline JPEG of the recipe's size without metadata`() throws {
    for (name, size) in [("orientation-6.jpg", 256), ("wide.jpg", 64), ("alpha.png", 333)] {
      let jpeg = try Avatar(of: try sample(name), recipe: Recipe(size: size)).jpeg
      let header = try ImageHeader(of: jpeg)
      #expect(header.width == size && header.height == size && !header.isDecodedWhole && header.orientation == 1)
      #expect(jpeg.suffix(2) == [0xFF, 0xD9])
      for marker in [0xE1, 0xE2, 0xED, 0xFE] as [UInt8] {
        #expect(!zip(jpeg, jpeg.dropFirst()).contains { $0 == 0xFF && $1 == marker }, "\(name): marker \(marker)")
      }
    }
  }

  @Test(arguments: ["alpha.png", "alpha.webp", "alpha.avif"])
  func `transparency lies on the background and hidden colours do not show`(_ name: String) throws {
    let onWhite = try Avatar(of: try sample(name))
    let wanted: [SIMD4<UInt8>] = [
      [220, 40, 40, 255], [255, 127, 127, 255], [255, 255, 255, 255], [255, 255, 255, 255],
    ]
    #expect(near(onWhite.quarters, wanted, 16), "\(name): \(onWhite.quarters)")
    #expect(onWhite.facts.hasAlpha)
    let onBlack = try Avatar(of: try sample(name), recipe: Recipe(size: 64, background: 0))
    #expect(near([onBlack.quarters[1], onBlack.quarters[2]], [[128, 0, 0, 255], [0, 0, 0, 255]], 16))
  }

  @Test func `a keyed colour of a PNG and the undrawn part of a GIF are transparent`() throws {
    #expect(difference(try Avatar(of: try sample("keyed.png")).quarters[1], [255, 255, 255, 255]) < 8)
    let part = try Avatar(of: try sample("part.gif")).quarters
    #expect(near(part, [[0, 0, 0, 255]] + Array(repeating: [255, 255, 255, 255], count: 3), 8), "\(part)")
  }

  @Test(arguments: ["wide.jpg", "wide.png", "wide.webp"])
  func `a usable profile is converted from`(_ name: String) throws {
    let avatar = try Avatar(of: try sample(name))
    #expect(avatar.facts.usedProfile)
    // What lcms makes of 180, 100, 100 in that profile.
    #expect(difference(avatar.colour(128, 128), [194, 95, 98, 255]) < 5, "\(name): \(avatar.colour(128, 128))")
  }

  @Test func `a profile for other pixels or of garbage is ignored`() throws {
    let grey = try Avatar(of: try sample("wide-on-grey.jpg"))
    #expect(!grey.facts.usedProfile)
    #expect(difference(grey.colour(128, 128), [100, 100, 100, 255]) < 4)
    var garbage = try sample("wide.jpg")
    let name = try #require((0..<garbage.count).first { garbage[$0...].starts(with: Array("acsp".utf8)) })
    garbage.replaceSubrange(name..<name + 4, with: [1, 2, 3, 4])
    let ignored = try Avatar(of: garbage)
    #expect(!ignored.facts.usedProfile)
    #expect(difference(ignored.colour(128, 128), [180, 100, 100, 255]) < 6)
  }

  @Test func `grey, 16 bits and inks keep their colours`() throws {
    #expect(difference(try Avatar(of: try sample("grey.jpg")).colour(128, 128), [100, 100, 100, 255]) < 4)
    #expect(difference(try Avatar(of: try sample("grey16.png")).colour(128, 128), [128, 128, 128, 255]) < 4)
    #expect(near(try Avatar(of: try sample("cmyk.jpg")).quarters, quad, 14))
  }

  @Test func `quality goes down in steps while the avatar is over its target, and no further than the minimum`() throws
  {
    let source = try sample("baseline.jpg")
    let free = try Avatar(of: source, recipe: Recipe(size: 128, targetBytes: 1 << 20))
    #expect(free.facts.quality == 82)
    let met = try Avatar(of: source, recipe: Recipe(size: 128, targetBytes: free.jpeg.count - 1))
    #expect(met.facts.quality < 82 && met.jpeg.count < free.jpeg.count)
    #expect(try Avatar(of: source, recipe: Recipe(size: 128, targetBytes: 1)).facts.quality == 60)
  }

  @Test func `the quality is the best that meets the target, as if every step had been tried`() throws {
    let source = try sample("baseline.jpg")
    let steps = [82, 76, 70, 64, 60]
    let sizes = try steps.map { quality in
      try Avatar(of: source, recipe: Recipe(size: 128, quality: quality, minimumQuality: quality)).jpeg.count
    }
    for (index, size) in sizes.enumerated() {
      for target in [size, size - 1] {
        let wanted = zip(steps, sizes).first { $0.1 <= target }?.0 ?? 60
        let avatar = try Avatar(of: source, recipe: Recipe(size: 128, targetBytes: target))
        #expect(avatar.facts.quality == wanted, "step \(index), target \(target)")
      }
    }
  }

  @Test func `a source gives the same bytes each time`() throws {
    for name in ["baseline.jpg", "alpha.webp", "wide.png"] {
      #expect(try Avatar(of: try sample(name)).jpeg == Avatar(of: try sample(name)).jpeg, "\(name)")
    }
  }

  @Test func `hundreds of pictures, broken ones among them, leave no memory behind`() throws {
    let sources = try ["baseline.jpg", "alpha.png", "still.webp", "wide.jpg", "moving.gif", "still.avif"].map {
      try sample($0)
    }
    func round() {
      for source in sources + sources.map({ Array($0.prefix($0.count / 2)) }) {
        _ = try? SharedNormalizer.normalize(source, Recipe(size: 32), ImageLimits())
      }
    }
    for _ in 0..<10 { round() }
    let before = residentKilobytes()
    for _ in 0..<40 { round() }
    let growth = residentKilobytes() - before
    #expect(growth < 8 << 10, "grew by \(growth) KiB in 480 pictures")
  }
}

/// `VmRSS` of this process.
private func residentKilobytes() -> Int {
  guard let pages = try? sampleText("/proc/self/statm").split(separator: " ").dropFirst().first.map({ Int($0) ?? 0 })
  else { return 0 }
  return pages * 4
}
