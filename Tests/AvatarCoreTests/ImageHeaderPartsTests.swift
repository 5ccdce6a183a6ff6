import Testing

@testable import AvatarCore

private typealias Bytes = HeaderBytes

/// Orientation, profiles, and what of a source reaches the decoder.
struct ImageHeaderPartsTests {
  private func jpeg(exif blocks: [[UInt8]]) -> [UInt8] {
    Bytes.jpeg(
      blocks.flatMap { Bytes.segment(0xE1, Bytes.ascii("Exif\0\0") + $0) }, Bytes.frame(5, 5), Bytes.scan())
  }

  @Test(
    arguments: [
      ("each way it can be", [[Bytes.exif([Bytes.Entry(274, 3, 6)])]], 6),
      ("little-endian", [[Bytes.exif([Bytes.Entry(274, 3, 8)], little: true)]], 8),
      ("a LONG", [[Bytes.exif([Bytes.Entry(274, 4, 3)])]], 3),
      ("behind other tags", [[Bytes.exif([Bytes.Entry(271, 3, 9), Bytes.Entry(274, 3, 2)])]], 2),
      ("0 is none", [[Bytes.exif([Bytes.Entry(274, 3, 0)])]], 1),
      ("9 is none", [[Bytes.exif([Bytes.Entry(274, 3, 9)])]], 1),
      ("a byte is none", [[Bytes.exif([Bytes.Entry(274, 1, 6)])]], 1),
      ("the first block counts", [[Bytes.exif([Bytes.Entry(274, 3, 6)]), Bytes.exif([Bytes.Entry(274, 3, 3)])]], 6),
      ("the first block counts, even saying nothing", [[Bytes.exif([]), Bytes.exif([Bytes.Entry(274, 3, 3)])]], 1),
      ("the thumbnail's does not count", [[Bytes.exif([Bytes.Entry(271, 3, 1)], second: [Bytes.Entry(274, 3, 6)])]], 1),
      ("cut short", [[Array(Bytes.exif([Bytes.Entry(274, 3, 6)]).prefix(17))]], 1), ("not TIFF", [[[1, 2, 3]]], 1),
      ("none", [[]], 1),
    ] as [(String, [[[UInt8]]], Int)])
  func `an orientation is the first EXIF block's main one`(_ name: String, _ blocks: [[[UInt8]]], _ wanted: Int) throws
  {
    #expect(try ImageHeader(of: jpeg(exif: blocks[0])).orientation == wanted, "\(name)")
  }

  @Test func `PNG and WebP carry theirs in a chunk`() throws {
    let block = Bytes.exif([Bytes.Entry(274, 3, 7)])
    #expect(try ImageHeader(of: Bytes.png(5, 5, Bytes.chunk("IDAT", []), Bytes.chunk("eXIf", block))).orientation == 7)
    for body in [block, Bytes.ascii("Exif\0\0") + block] {
      #expect(
        try ImageHeader(of: Bytes.webp([Bytes.vp8x(5, 5), Bytes.vp8(5, 5), Bytes.Chunk("EXIF", body)])).orientation == 7
      )
    }
  }

  @Test(
    arguments: [
      ("one", [(1, 1, [7, 8])], [7, 8]), ("two in order", [(1, 2, [7]), (2, 2, [8])], [7, 8]),
      ("two out of order", [(2, 2, [8]), (1, 2, [7])], [7, 8]), ("one missing", [(1, 2, [7])], nil),
      ("one twice", [(1, 2, [7]), (1, 2, [7])], nil), ("number 0", [(0, 1, [7])], nil), ("none", [], nil),
      ("two counts", [(1, 2, [7]), (2, 3, [8])], nil),
    ] as [(String, [(UInt8, UInt8, [UInt8])], [UInt8]?)])
  func `a JPEG's profile is joined from its parts, or is none`(
    _ name: String, _ parts: [(UInt8, UInt8, [UInt8])], _ wanted: [UInt8]?
  ) throws {
    let segments = parts.flatMap { Bytes.segment(0xE2, Array("ICC_PROFILE\0".utf8) + [$0.0, $0.1] + $0.2) }
    #expect(try ImageHeader(of: Bytes.jpeg(segments, Bytes.frame(5, 5), Bytes.scan())).profile == wanted, "\(name)")
  }

  @Test func `of a PNG only what makes its picture reaches the decoder`() throws {
    let pixels = Bytes.chunk("IDAT", [1, 2])
    let profile = Bytes.chunk("iCCP", [9])
    let source = Bytes.png(
      5, 5, Bytes.chunk("zTXt", [0, 0]), profile, Bytes.chunk("iCCP", [8]),
      Bytes.chunk("acTL", Bytes.big(3, 4) + Bytes.big(0, 4)),
      Bytes.chunk("PLTE", [1, 2, 3]), pixels, Bytes.chunk("fdAT", [1]), pixels, Bytes.chunk("tRNS", [1]),
      Bytes.chunk("IEND", []), [5])
    let header = try ImageHeader(of: source)
    let end = Bytes.big(0, 4) + Array("IEND".utf8) + [0xAE, 0x42, 0x60, 0x82]
    #expect(header.essence == Bytes.png(5, 5, profile, Bytes.chunk("PLTE", [1, 2, 3]), pixels, pixels, end))
    #expect(header.frames == 3)
    let huge = [UInt8](repeating: 0, count: PNGHeader.maximumProfileBytes + 1)
    #expect(
      try ImageHeader(of: Bytes.png(5, 5, Bytes.chunk("iCCP", huge), pixels)).essence == Bytes.png(5, 5, pixels, end))
  }

  @Test func `of an animation only the first picture reaches the decoder`() throws {
    let still = Bytes.gif(screen: (2, 1), frame: (2, 1), pixels: [0x04, 0x0A])
    let moving = Array(still.dropLast()) + still[19...]
    let gif = try ImageHeader(of: moving)
    #expect(gif.essence == still && gif.frames == 2)
    let frame = Bytes.Chunk("ANMF", [UInt8](repeating: 0, count: 24))
    let webp = try ImageHeader(
      of: Bytes.webp([
        Bytes.vp8x(5, 5, flags: 0x2E), Bytes.Chunk("ICCP", [1]), Bytes.Chunk("ANIM", [0, 0]), frame, frame,
        Bytes.Chunk("XMP ", [1]),
      ]))
    #expect(
      webp.essence == Bytes.webp([Bytes.vp8x(5, 5, flags: 0x02), Bytes.Chunk("ANIM", [0, 0]), frame])
        && webp.frames == 2)
    #expect(webp.profile == [1])
  }

  @Test func `a GIF is whole when its codes make every pixel, whatever lacks behind`() throws {
    // Clear, 0, 0, end in codes of three bits: 100 000 000 101.
    let pixels: [UInt8] = [0x04, 0x0A]
    #expect(headerCode(Bytes.gif(screen: (2, 1), frame: (2, 1), pixels: pixels)) == nil)
    #expect(headerCode(Bytes.gif(screen: (2, 1), frame: (2, 1), pixels: pixels, end: [])) == nil)
    #expect(headerCode(Bytes.gif(screen: (3, 1), frame: (3, 1), pixels: pixels)) == .imageCorrupt)
    #expect(headerCode(Bytes.gif(screen: (2, 1), frame: (2, 1), pixels: [0x04])) == .imageCorrupt)
    // A code before it exists.
    #expect(headerCode(Bytes.gif(screen: (2, 1), frame: (2, 1), pixels: [0x3C, 0x0A])) == .imageCorrupt)
  }

  @Test func `a GIF's screen of no size is its picture's, and what a picture leaves free of it is transparent`() throws
  {
    let unsized = try ImageHeader(of: Bytes.gif(screen: (0, 0), frame: (2, 1), pixels: [0x04, 0x0A]))
    #expect(unsized.width == 2 && unsized.height == 1 && Array(unsized.essence[6..<10]) == [2, 0, 1, 0])
    let part = try ImageHeader(of: Bytes.gif(screen: (4, 4), frame: (2, 1), pixels: [0x04, 0x0A]))
    #expect(Array(part.essence[19..<27]) == [0x21, 0xF9, 4, 1, 0, 0, 255, 0])
  }

  @Test func `a profile counts by its shape, and one that is sRGB is known`() {
    func profile(_ space: String, size: Int = 132, tags: Int = 1) -> [UInt8] {
      Bytes.big(size, 4) + [UInt8](repeating: 0, count: 12) + Array("\(space)XYZ ".utf8)
        + [UInt8](repeating: 0, count: 12)
        + Array("acsp".utf8) + [UInt8](repeating: 0, count: 88) + Bytes.big(tags, 4) + Array("wtpt".utf8)
        + Bytes.big(0, 4) + Bytes.big(4, 4)
    }
    #expect(ICCProfile(profile("RGB "))?.colourSpace == .rgb)
    #expect(ICCProfile(profile("GRAY"))?.colourSpace == .grey)
    #expect(ICCProfile(profile("CMYK"))?.colourSpace == .cmyk)
    #expect(ICCProfile(profile("RGB "))?.isSRGB == false)
    for bad in [profile("Lab "), profile("RGB ", size: 9999), profile("RGB ", tags: 0), profile("RGB ", tags: 2), []] {
      #expect(ICCProfile(bad) == nil)
    }
  }
}
