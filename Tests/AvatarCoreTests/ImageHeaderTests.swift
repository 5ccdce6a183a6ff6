import Testing

@testable import AvatarCore

private typealias Bytes = HeaderBytes

struct ImageHeaderTests {
  @Test(
    arguments: [
      ("JPEG", Bytes.jpeg(Bytes.frame(3, 2), Bytes.scan()), ImageFormat.jpeg, 3, 2),
      ("PNG", Bytes.png(300, 70000, Bytes.chunk("IDAT", [1]), Bytes.chunk("IEND", [])), .png, 300, 70000),
      ("GIF", Bytes.gif(screen: (2, 1), frame: (2, 1), pixels: [0x04, 0x0A]), .gif, 2, 1),
      ("WebP lossy", Bytes.webp([Bytes.vp8(5, 6)]), .webp, 5, 6),
      ("WebP lossless", Bytes.webp([Bytes.Chunk("VP8L", [0x2F] + Bytes.little(4 | 5 << 14, 4))]), .webp, 5, 6),
      ("WebP extended", Bytes.webp([Bytes.vp8x(50, 60), Bytes.vp8(50, 60)]), .webp, 50, 60),
      ("AVIF", Bytes.heif(brands: ["avif", "mif1"], sizes: [(7, 8)]), .avif, 7, 8),
      ("AVIF by its second brand", Bytes.heif(brands: ["mif1", "avif"], sizes: [(7, 8)]), .avif, 7, 8),
      ("HEIC", Bytes.heif(brands: ["heic"], sizes: [(9, 8), (64, 64), (4, 70)]), .heic, 64, 70),
      ("HEIC of an iPhone", Bytes.heif(brands: ["mif1", "heic"], sizes: [(9, 8)]), .heic, 9, 8),
    ] as [(String, [UInt8], ImageFormat, Int, Int)])
  func `format and size are those of the bytes`(
    _ name: String, _ source: [UInt8], _ format: ImageFormat, _ width: Int, _ height: Int
  ) throws {
    let header = try ImageHeader(of: source)
    #expect(header.format == format && header.width == width && header.height == height, "\(name): \(header)")
  }

  @Test(arguments: [
    "%PDF-1.4", "%!PS-Adobe-3.0 EPSF-3.0", "8BPS\0\u{1}", "II*\0", "MM\0*", "BM", "\0\0\u{1}\0", "\0\0\0\u{C}jP  \r\n",
    "\0\0\0\u{C}JXL \r\n", "#?RADIANCE", "push graphic-context", "RIFF\0\0\0\0WAVE", "GIF88a", "hello", " ", "{}",
    "\u{1F}\u{8}", "\0\0\0\u{18}ftypisom", "\0\0\0\u{18}ftypmp42", "\u{89}PNX",
  ])
  func `what is not a known format is unsupported`(_ text: String) {
    let bytes = text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    #expect(headerCode(bytes) == .imageUnsupported, "\(text.debugDescription)")
    #expect(headerCode(bytes + [UInt8](repeating: 0, count: 64)) == .imageUnsupported, "\(text.debugDescription)")
  }

  @Test func `nothing is empty, not unsupported`() { #expect(headerCode([]) == .sourceEmpty) }

  @Test(
    arguments: [
      ("JPEG's first marker", [0xFF, 0xD8]), ("JPEG without a scan", Bytes.jpeg(Bytes.frame(1, 1))),
      ("JPEG of no height", Bytes.jpeg(Bytes.frame(5, 0), Bytes.scan())),
      ("JPEG with two frames", Bytes.jpeg(Bytes.frame(5, 5), Bytes.frame(5, 5), Bytes.scan())),
      ("PNG's signature", Array(Bytes.png(1, 1).prefix(8))), ("PNG without pixels", Bytes.png(1, 1)),
      ("PNG of no width", Bytes.png(0, 1, Bytes.chunk("IDAT", []))),
      ("GIF's first ten bytes", Array("GIF89a\u{1}\0\u{1}\0".utf8)),
      ("GIF that ends after its screen", Array(Bytes.gif(screen: (1, 1), frame: (1, 1), pixels: []).prefix(19))),
      ("WebP without pixels", Bytes.webp([Bytes.Chunk("ICCP", [1])])),
      ("WebP cut in its pixels", Bytes.webp([Bytes.vp8(5, 6)]).dropLast(3) + []),
      ("HEIF without a size", Bytes.heif(brands: ["avif"], sizes: [])),
      ("HEIF cut in its pixels", Bytes.heif(brands: ["avif"], sizes: [(7, 8)]).dropLast(2) + []),
    ] as [(String, [UInt8])])
  func `a known format with nothing to decode is corrupt`(_ name: String, _ source: [UInt8]) {
    #expect(headerCode(source) == .imageCorrupt, "\(name)")
  }

  @Test func `kinds of JPEG that are not decoded are unsupported`() {
    #expect(headerCode(Bytes.jpeg(Bytes.frame(5, 5, marker: 0xC1, bits: 12), Bytes.scan())) == .imageUnsupported)
    for marker in [0xC3, 0xC5, 0xC6, 0xC7, 0xCB, 0xCD, 0xCE, 0xCF] as [UInt8] {
      #expect(headerCode(Bytes.jpeg(Bytes.frame(5, 5, marker: marker), Bytes.scan())) == .imageUnsupported, "\(marker)")
    }
  }

  @Test func `progressive, interlaced and scan by scan pictures are decoded whole`() throws {
    for (source, isWhole) in [
      (Bytes.jpeg(Bytes.frame(5, 5), Bytes.scan(3)), false), (Bytes.jpeg(Bytes.frame(5, 5), Bytes.scan(1)), true),
      (Bytes.jpeg(Bytes.frame(5, 5, marker: 0xC2), Bytes.scan(3)), true),
      (Bytes.png(5, 5, Bytes.chunk("IDAT", [])), false), (Bytes.png(5, 5, interlace: 1, Bytes.chunk("IDAT", [])), true),
    ] { #expect(try ImageHeader(of: source).isDecodedWhole == isWhole) }
  }

  @Test func `a progressive JPEG has at most a hundred scans`() {
    func scans(_ count: Int) -> [UInt8] {
      Bytes.jpeg(Bytes.frame(5, 5, marker: 0xC2), Array(repeating: Bytes.scan(1) + [7], count: count).flatMap { $0 })
    }
    #expect(headerCode(scans(99)) == nil)
    #expect(headerCode(scans(100)) == nil)
    #expect(headerCode(scans(101)) == .imageCorrupt)
    // What looks like a scan inside of a table is none.
    let table = Bytes.segment(0xC4, Array(repeating: [0xFF, 0xDA], count: 200).flatMap { $0 })
    #expect(headerCode(Bytes.jpeg(Bytes.frame(5, 5, marker: 0xC2), Bytes.scan(1), table, Bytes.scan(1))) == nil)
  }

  @Test func `claims past all numbers are too many pixels`() {
    for side in [0x7FFF_FFFF, 0xFFFF_FFFF] {
      #expect(headerCode(Bytes.png(side, side, Bytes.chunk("IDAT", []))) == .imageTooManyPixels)
      #expect(headerCode(Bytes.heif(brands: ["avif"], sizes: [(side, side)])) == .imageTooManyPixels)
    }
    #expect(headerCode(Bytes.webp([Bytes.vp8x(1 << 24, 1 << 24), Bytes.vp8(5, 5)])) == .imageTooManyPixels)
    #expect(headerCode(Bytes.webp([Bytes.vp8x(5, 5), Bytes.vp8(16383, 16383)])) == .imageTooManyPixels)
    #expect(headerCode(Bytes.gif(screen: (65535, 65535), frame: (2, 1), pixels: [0x04, 0x0A])) == .imageTooManyPixels)
  }

  @Test func `no cut and no change of bytes does more than refuse`() {
    let sources: [[UInt8]] = [
      Bytes.jpeg(
        Bytes.segment(0xE1, Bytes.ascii("Exif\0\0") + Bytes.exif(orientation: 6)), Bytes.frame(9, 9, marker: 0xC2),
        Bytes.scan()),
      Bytes.png(
        9, 9, Bytes.chunk("eXIf", Bytes.exif(orientation: 6)), Bytes.chunk("IDAT", [1, 2, 3]), Bytes.chunk("IEND", [])),
      Bytes.gif(screen: (2, 1), frame: (2, 1), pixels: [0x04, 0x0A]),
      Bytes.webp([
        Bytes.vp8x(9, 9, flags: 0x28), Bytes.Chunk("ICCP", [1, 2, 3]), Bytes.vp8(9, 9),
        Bytes.Chunk("EXIF", Bytes.exif(orientation: 6)),
      ]),
      Bytes.heif(brands: ["mif1", "heic", "avif"], sizes: [(9, 9)]),
      Array(
        "<?xml version='1.0'?><!DOCTYPE svg [<!ENTITY a 'b'>]><svg xmlns='http://www.w3.org/2000/svg' width='1em'>&a;&#65;<!-- --></svg>"
          .utf8),
    ]
    var state: UInt64 = 20_260_101
    func random(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    for source in sources {
      #expect(headerCode(source) == nil, "\(source)")
      for length in 0..<source.count { _ = headerCode(Array(source.prefix(length))) }
      for _ in 0..<2000 {
        var changed = source
        for _ in 0...random(3) { changed[random(changed.count)] = [0, 255, 127, 128, UInt8(random(256))][random(5)] }
        _ = headerCode(changed)
      }
    }
  }
}
