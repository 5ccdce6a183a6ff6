import AvatarCore
import Glibc
import Testing

@testable import AvatarNormalize

/// What is refused, by its code, and what is damaged and shown all the same.
@Suite(.serialized)
struct NormalizerRefusalTests {
  @Test(arguments: [
    "baseline.jpg", "rgb.png", "interlaced.png", "still.webp", "still.avif", "still.heic", "moving.gif",
  ])
  func `a picture cut in half is corrupt`(_ name: String) throws {
    let whole = try sample(name)
    // The GIF has two frames: a fifth of it is half of its first.
    let half = Array(whole.prefix(name == "moving.gif" ? whole.count / 5 : whole.count / 2))
    #expect(code { () throws(AvatarError) in _ = try Avatar(of: half) } == .imageCorrupt, "\(name)")
  }

  @Test func `a JPEG that ends early is corrupt even with an end marker put behind`() throws {
    for name in ["baseline.jpg", "progressive.jpg", "restarts.jpg"] {
      let whole = try sample(name)
      let closed = Array(whole.prefix(whole.count * 3 / 4)) + [0xFF, 0xD9]
      #expect(code { () throws(AvatarError) in _ = try Avatar(of: closed) } == .imageCorrupt, "\(name)")
    }
  }

  @Test(arguments: [
    ("baseline.jpg", 2), ("progressive.jpg", 2), ("rgb.png", 12), ("rgb.png", 16), ("moving.gif", 1),
    ("moving.gif", 40),
    ("moving.webp", 30),
  ])
  func `what only lacks its end marker or a later frame is shown`(_ name: String, _ missing: Int) throws {
    let avatar = try Avatar(of: try sample(name).dropLast(missing))
    #expect(near(avatar.quarters, quad, 14), "\(name) less \(missing): \(avatar.quarters)")
  }

  @Test func `a JPEG damaged between two restart markers is shown, as what follows is there`() throws {
    // A scanner's file was refused for a few lost bytes in its middle, though its last row was whole.
    let whole = try sample("restarts.jpg")
    let markers = (0..<whole.count - 1).filter { whole[$0] == 0xFF && (0xD0...0xD7).contains(whole[$0 + 1]) }
    try #require(markers.count > 6)
    let avatar = try Avatar(of: Array(whole[..<(markers[6] - 30)] + whole[markers[6]...]))
    #expect(near([avatar.quarters[0], avatar.quarters[3]], [quad[0], quad[3]], 14), "\(avatar.quarters)")
  }

  @Test(arguments: ["baseline.jpg", "rgb.png", "moving.gif", "still.webp", "still.avif", "still.heic"])
  func `junk behind the picture does no harm`(_ name: String) throws {
    let avatar = try Avatar(of: try sample(name) + Array("\r\n<!-- cached copy, page 1 of 2 -->".utf8))
    #expect(near(avatar.quarters, quad, 14), "\(name): \(avatar.quarters)")
  }

  @Test func `the pixel limits hold at, above and below, the lower one for what is decoded whole`() throws {
    for (name, pixels, isWhole) in [
      ("baseline.jpg", 60_000, false), ("progressive.jpg", 60_000, true), ("rgb.png", 301 * 201, false),
      ("interlaced.png", 90 * 61, true), ("still.webp", 60_000, true), ("moving.gif", 10_000, true),
      ("still.avif", 60_000, true), ("still.heic", 60_000, true),
    ] {
      let source = try sample(name)
      func limits(_ limit: Int) -> ImageLimits {
        ImageLimits(maxPixels: isWhole ? .max : limit, maxPixelsWhole: isWhole ? limit : 1)
      }
      _ = try Avatar(of: source, limits: limits(pixels))
      _ = try Avatar(of: source, limits: limits(pixels + 1))
      let refused = code { () throws(AvatarError) in _ = try Avatar(of: source, limits: limits(pixels - 1)) }
      #expect(refused == .imageTooManyPixels, "\(name)")
    }
  }

  @Test func `shapes of one pixel's width and pictures of four pixels fill the square`() throws {
    // A drawing of 1×2000 is drawn as long as that, a strip; the embedded PNG proves nothing is scaled up from less.
    let strip = Array(
      "<svg xmlns='http://www.w3.org/2000/svg' width='1' height='2000'><rect width='1' height='2000' fill='#3246c8'/></svg>"
        .utf8)
    let avatar = try Avatar(of: strip)
    #expect(near(avatar.quarters, Array(repeating: quad[2], count: 4), 6), "\(avatar.quarters)")
    let tiny = try Avatar(of: try sample("rgb.png"), recipe: Recipe(size: 16))
    let enlarged = try Avatar(of: tiny.jpeg, recipe: Recipe(size: 1024, targetBytes: 1 << 20))
    #expect(near(enlarged.quarters, quad, 24), "\(enlarged.quarters)")
  }

  @Test func `a drawing never shows a file, whatever way it is named`() throws {
    var template = Array("/tmp/avatar-normalize-XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    try #require(descriptor >= 0)
    let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer { unlink(path) }
    let picture = try sample("cmyk.jpg")
    #expect(picture.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) } == picture.count)
    close(descriptor)
    for body in [
      "<image width='100' height='100' href='file://\(path)'/>", "<image width='100' height='100' href='\(path)'/>",
      "<image width='100' height='100' xlink:href='file://\(path)'/>", "<use href='file://\(path)#a'/>",
      "<style>@import url('file://\(path)'); rect { fill: url(file://\(path)#a) }</style>",
      "<filter id='f'><feImage href='file://\(path)'/></filter><rect width='100' height='100' fill='#fff' filter='url(#f)'/>",
      "<xi:include xmlns:xi='http://www.w3.org/2001/XInclude' href='file://\(path)'/>", "<text y='50'>&file;</text>",
    ] {
      let drawing = """
        <!DOCTYPE svg [<!ENTITY file SYSTEM "file://\(path)">]>
        <svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 100 100">\(body)</svg>
        """
      let quarters = try Avatar(of: Array(drawing.utf8)).quarters
      #expect(near(quarters, Array(repeating: [255, 255, 255, 255], count: 4), 3), "\(body): \(quarters)")
    }
  }

  @Test func `a drawing is drawn at the output's size with its text and its embedded pictures`() throws {
    let picture = String(decoding: Base64.encode(try sample("cmyk.jpg")), as: UTF8.self)
    let drawing = "<svg xmlns='http://www.w3.org/2000/svg' width='10mm' height='10mm' viewBox='0 0 8 8'>"
    let embedded = try Avatar(
      of: Array("\(drawing)<image width='8' height='8' href='data:image/jpeg;base64,\(picture)'/></svg>".utf8))
    #expect(near(embedded.quarters, quad, 60), "\(embedded.quarters)")
    // An edge on the middle is sharp at 256: two pixels beside it there is only the one or the other colour.
    let edge = try Avatar(
      of: Array("\(drawing)<rect width='4' height='8' fill='#000'/></svg>".utf8),
      recipe: Recipe(quality: 100, minimumQuality: 100))
    #expect(near([edge.colour(124, 128), edge.colour(132, 128)], [[0, 0, 0, 255], [255, 255, 255, 255]], 4))
    let text = try Avatar(of: Array("\(drawing)<text y='8' font-size='11'>█</text></svg>".utf8))
    #expect(text.shows([0, 0, 0, 255], within: 30))
  }
}
