import AvatarCore
import CVips
import Testing

@testable import BenchPictures

/// The pictures are what their kinds promise, and the same for the same seed.
struct PictureBookTests {
  @Test(arguments: PictureKind.allCases)
  func `equal seeds give equal bytes, different variations differ`(kind: PictureKind) throws {
    let book = try PictureBook(seed: 7, kinds: [kind], variations: 2).variations(of: kind)
    let again = try PictureBook(seed: 7, kinds: [kind], variations: 2).variations(of: kind)
    #expect(book.map(\.bytes) == again.map(\.bytes))
    #expect(Set(book.map(\.digest)).count == book.count)
    #expect(book.allSatisfy { $0.contentType == kind.contentType })
  }

  @Test func `another seed gives other photos`() throws {
    let digests = try [1, 2, 3].map {
      try PictureBook(seed: $0, kinds: [.jpeg400], variations: 1).variations(of: .jpeg400).map(\.digest)
    }
    #expect(Set(digests).count == 3)
  }

  @Test func `a book has the kinds and variations that it was made with, of large photos two at most`() throws {
    let book = try PictureBook(seed: 1, kinds: [.svg, .jpeg12MP, .svg], variations: 5)
    #expect(book.kinds == [.jpeg12MP, .svg])
    #expect(book.variations(of: .svg).count == 5)
    #expect(book.variations(of: .jpeg12MP).count == 2)
    #expect(book.picture(.png512, name: "x".utf8) == nil)
  }

  @Test func `a name always has the same picture, and the next turn another one`() throws {
    let book = try PictureBook(seed: 1, kinds: [.svg])
    let digests = (0..<8).map { book.picture(.svg, name: "x".utf8, turn: $0)?.digest }
    #expect(Set(digests).count == 8)
    #expect(digests[0] == book.picture(.svg, name: "x".utf8)?.digest)
    #expect(StableHash.of("foobar".utf8) == 0x8594_4171_F739_67E8, "a published value of FNV-1a")
  }

  @Test(arguments: [
    (PictureKind.jpeg400, 40_000...60_000, 400, 400), (.jpeg1024, 150_000...250_000, 1024, 1024),
    (.jpeg12MP, 3_000_000...5_000_000, 4000, 3000), (.png512, 200_000...500_000, 512, 512),
    (.webP512, 20_000...60_000, 512, 512), (.gif256, 30_000...100_000, 256, 256), (.svg, 500...3000, 256, 256),
  ])
  func `a picture is as large as such pictures are`(
    kind: PictureKind, bytes: ClosedRange<Int>, width: Int, height: Int
  ) throws {
    for picture in try PictureBook(seed: 3, kinds: [kind], variations: 3).variations(of: kind) {
      #expect(bytes.contains(picture.bytes.count), "\(picture.bytes.count)")
      let header = try ImageHeader(of: picture.bytes, limits: ImageLimits())
      #expect(header.width == width && header.height == height)
      #expect(header.orientation == (kind == .jpeg12MP ? 6 : 1))
      #expect(header.frames == (kind == .gif256 ? 4 : 1))
    }
  }

  @Test func `the PNG is transparent in its corners and nowhere else in its middle`() throws {
    let png = try #require(try PictureBook(seed: 1, kinds: [.png512], variations: 1).variations(of: .png512).first)
    let pixels = try pixels(of: png.bytes, CVIPS_PNG)
    #expect(pixels.count == 512 * 512 * 4)
    #expect(pixels[3] == 0)
    #expect(pixels[(256 * 512 + 256) * 4 + 3] == 255)
  }

  @Test(arguments: PictureKind.allCases.filter { $0.isHostile && $0 != .svgBomb && $0 != .truncatedJPEG })
  func `a hostile picture is refused by its header`(kind: PictureKind) throws {
    for picture in try PictureBook(seed: 1, kinds: [kind]).variations(of: kind) {
      #expect(throws: AvatarError.self) {
        try ImageHeader(of: picture.bytes, limits: ImageLimits()).check(against: ImageLimits())
      }
    }
  }

  @Test func `the PNG bomb is tiny, huge inside, and a picture that decodes`() throws {
    let bomb = try #require(try PictureBook(seed: 1, kinds: [.bombPNG]).variations(of: .bombPNG).first)
    #expect(bomb.bytes.count < 60_000)
    var limits = ImageLimits()
    limits.maxPixels = .max
    limits.maxPixelsWhole = .max
    let header = try ImageHeader(of: bomb.bytes, limits: limits)
    #expect(header.width * header.height == 400_000_000)
    // Sizes at which the last match ends early, exactly and not at all.
    for (width, height) in [(1, 1), (8, 129), (2056, 2), (300, 301)] {
      let pixels = try pixels(of: PNGBomb(width: width, height: height).bytes, CVIPS_PNG)
      #expect(pixels == [UInt8](repeating: 0, count: width * height), "\(width)×\(height)")
    }
  }

  @Test func `the truncated JPEG is the first part of a whole one`() throws {
    let book = try PictureBook(seed: 1, kinds: [.truncatedJPEG, .jpeg400], variations: 1)
    let cut = try #require(book.variations(of: .truncatedJPEG).first)
    #expect(cut.bytes.starts(with: [0xFF, 0xD8]))
    #expect(cut.bytes.firstRange(of: [0xFF, 0xD9]) == nil, "it has no end")
  }

  @Test func `the drawing's bomb doubles and doubles in entities and uses`() throws {
    let bomb = try #require(try PictureBook(seed: 1, kinds: [.svgBomb]).variations(of: .svgBomb).first)
    let text = String(decoding: bomb.bytes, as: UTF8.self)
    #expect(text.count < 4000)
    for level in 0..<9 {
      #expect(text.ranges(of: "&e\(level);").count == 10)
      #expect(text.ranges(of: "<use href=\"#g\(level)\"").count == 10)
    }
    #expect(throws: AvatarError.self) {
      try ImageHeader(of: bomb.bytes, limits: ImageLimits()).check(against: ImageLimits())
    }
  }

  /// Decoded, band by band.
  private func pixels(of bytes: [UInt8], _ loader: CVipsLoader) throws -> [UInt8] {
    try bytes.withUnsafeBytes { bytes in
      let image = try #require(cvips_load(loader, bytes.baseAddress, bytes.count, 1))
      defer { cvips_release_image(image) }
      let region = try #require(vips_region_new(image))
      defer { cvips_release_region(region) }
      var count = 0
      let (width, height) = (vips_image_get_width(image), vips_image_get_height(image))
      let rows = try #require(cvips_fetch(region, 0, 0, width, height, &count))
      defer { cvips_free(rows) }
      return Array(UnsafeRawBufferPointer(start: rows, count: count))
    }
  }
}
