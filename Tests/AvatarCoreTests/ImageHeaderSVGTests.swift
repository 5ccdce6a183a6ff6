import Testing

@testable import AvatarCore

struct ImageHeaderSVGTests {
  private static let start = "<svg xmlns=\"http://www.w3.org/2000/svg\""

  /// What reaches the decoder, less the root's own tag.
  private func body(of content: String, declaring: String = "") throws -> String {
    let source = "\(declaring)\(Self.start) viewBox=\"0 0 9 9\">\(content)</svg>"
    let text = String(decoding: try ImageHeader(of: Array(source.utf8)).essence, as: UTF8.self)
    return String(text.drop { $0 != ">" }.dropFirst().dropLast("</svg>".count))
  }

  @Test(arguments: [
    "<svg xmlns='http://www.w3.org/2000/svg' width='1' height='1'/>",
    "\u{FEFF}<svg xmlns='http://www.w3.org/2000/svg'/>",
    " \n<!-- a --><?a b?><!DOCTYPE svg PUBLIC '-//W3C//DTD SVG 1.1//EN' 'http://www.w3.org/x.dtd'><svg xmlns='http://www.w3.org/2000/svg'/>",
    "<s:svg xmlns:s='http://www.w3.org/2000/svg'></s:svg>", "<svg width='1' height='1'></svg>",
    "<!--" + String(repeating: "long ", count: 2000) + "--><svg xmlns='http://www.w3.org/2000/svg'/>",
  ])
  func `an SVG is known by its root, whatever is before it`(_ text: String) throws {
    #expect(try ImageHeader(of: Array(text.utf8)).format == .svg, "\(text.prefix(80))")
  }

  @Test func `UTF-16 and Latin 1 are read as they say`() throws {
    let text = "\(Self.start)><text>ä</text></svg>"
    for isBig in [true, false] {
      let units = [0xFEFF] + Array(text.utf16)
      let source = units.flatMap { isBig ? [UInt8($0 >> 8), UInt8($0 & 255)] : [UInt8($0 & 255), UInt8($0 >> 8)] }
      #expect(String(decoding: try ImageHeader(of: source).essence, as: UTF8.self).contains(">ä<"))
    }
    let latin = "<?xml version='1.0' encoding='ISO-8859-1'?>\(text)".unicodeScalars.map { UInt8($0.value) }
    #expect(String(decoding: try ImageHeader(of: latin).essence, as: UTF8.self).contains(">ä<"))
  }

  @Test(arguments: [
    "<html><svg xmlns='http://www.w3.org/2000/svg'/></html>", "<!DOCTYPE html><title>x</title>", "<!doctype html><p>",
    "<",
    "<soap:Envelope xmlns:soap='http://schemas.xmlsoap.org/soap/envelope/'/>", "<svg xmlns='urn:other'/>", "<image/>",
    "<x:svg/>", "<?xml version='1.0'?>", "<a <b>",
  ])
  func `XML of another kind and HTML are unsupported`(_ text: String) {
    #expect(headerCode(Array(text.utf8)) == .imageUnsupported, "\(text)")
  }

  @Test(arguments: [
    "<svg", "<svg><g>", "<svg><g></svg>", "<svg><a b></a></svg>", "<svg>&#xFFFFFFFF;</svg>", "<svg>&a</svg>",
    "<svg><g a='' a=''/></svg>",
  ])
  func `an SVG that is not well-formed is refused`(_ text: String) {
    let code = headerCode(Array(text.utf8))
    #expect(
      code == .imageCorrupt || text == "<svg" && code == .imageUnsupported, "\(text): \(String(describing: code))")
  }

  @Test(
    arguments: [
      ("width='200' height='100'", 200, 100, 1024, 512), ("viewBox='0 0 50 100'", 50, 100, 512, 1024),
      ("width='1in' height='2.54cm'", 96, 96, 1024, 1024), ("width='30pt' viewBox='0 0 4 1'", 40, 10, 1024, 256),
      ("height='2em' viewBox='0,0,1,2'", 16, 32, 512, 1024),
      ("width='100%' height='100%' viewBox='0 0 8 8'", 8, 8, 1024, 1024),
      ("viewBox='0 0 355572 355572'", 355_572, 355_572, 1024, 1024),
      ("width='1e9' height='1'", 1_000_000_000, 1, 1024, 0.25),
      ("viewBox='0 0 1e-3 1e-3'", 1, 1, 1024, 1024),
    ] as [(String, Int, Int, Double, Double)])
  func `the size comes from width, height and view box, and is drawn to one measure`(
    _ attributes: String, _ width: Int, _ height: Int, _ drawnWidth: Double, _ drawnHeight: Double
  ) throws {
    let header = try ImageHeader(of: Array("\(Self.start) \(attributes)/>".utf8))
    #expect(header.width == width && header.height == height, "\(attributes): \(header.width)×\(header.height)")
    #expect(header.drawnWidth == drawnWidth && header.drawnHeight == drawnHeight, "\(attributes)")
  }

  @Test func `without any size, what is drawn decides`() throws {
    for attributes in ["", "width='5'", "width='a' height='-1'", "viewBox='0 0 0 0'"] {
      #expect(try ImageHeader(of: Array("\(Self.start) \(attributes)/>".utf8)).drawnWidth == nil, "\(attributes)")
    }
  }

  @Test(arguments: [
    ("<g><rect x=\"1\"/></g>", "<g><rect x=\"1\"></rect></g>"),
    ("<text>a &amp; b &lt; &#99;</text>", "<text>a &amp; b &lt; c</text>"),
    ("<text><![CDATA[<b>]]></text>", "<text>&lt;b&gt;</text>"), ("<script>alert(1)</script>", ""),
    ("<rect onclick=\"a()\" ONLOAD=\"b()\"/>", "<rect></rect>"), ("<foreignObject><rect/></foreignObject>", ""),
    ("<xi:include xmlns:xi=\"http://www.w3.org/2001/XInclude\" href=\"a\"><rect/></xi:include>", ""),
    ("<?xml-stylesheet href=\"a.css\"?><rect/>", "<rect></rect>"),
    ("<rect xml:base=\"http://a/\" xml:space=\"preserve\"/>", "<rect xml:space=\"preserve\"></rect>"),
    ("<image href=\"http://a/b.png\"/>", "<image></image>"), ("<image href=\"file:///a.png\"/>", "<image></image>"),
    ("<use href=\"#a\"/>", "<use xlink:href=\"#a\"></use>"), ("<use href=\"b.svg#a\"/>", "<use></use>"),
    ("<use href=\"data:image/svg+xml;base64,AAAA#a\"/>", "<use></use>"),
    ("<x:rect xmlns:x=\"http://www.w3.org/2000/svg\" y=\"2\"/>", "<rect y=\"2\"></rect>"),
    ("<x:rect xmlns:x=\"urn:a\"/>", ""),
    ("<rect fill=\"url(#a)\"/>", "<rect fill=\"url(#a)\"></rect>"),
    ("<rect fill=\"URL( 'http://a/#b')\"/>", "<rect></rect>"),
    ("<rect style=\"fill:red;mask:url(a#b)\"/>", "<rect style=\"fill:red;mask:xrl(a#b)\"></rect>"),
    ("<rect style=\"mask:u\\72l(a#b)\"/>", "<rect style=\"mask:u 72l(a#b)\"></rect>"),
    (
      "<style>@IMPORT 'a'; g{fill:url(&quot;#a&quot;)}<!-- x --></style>",
      "<style>@xMPORT 'a'; g{fill:url(&quot;#a&quot;)}</style>"
    ),
    ("<!DOCTYPE a><rect/>", "<rect></rect>"), ("<text>a\u{1}b</text>", "<text>ab</text>"),
  ])
  func `only what draws reaches the decoder`(_ content: String, _ wanted: String) throws {
    #expect(try body(of: content) == wanted, "\(content)")
  }

  @Test func `entities are replaced, within bounds, and never from outside`() throws {
    let declaring =
      "<!DOCTYPE svg [<!ENTITY a \"x&b;\"><!ENTITY b 'y'><!ENTITY c SYSTEM \"file:///etc/passwd\"><!ENTITY % d SYSTEM 'http://a/'> %d; ]>"
    #expect(try body(of: "<text id=\"&a;\">&a;&c;&e;</text>", declaring: declaring) == "<text id=\"xy\">xy</text>")
    let laughs = (1...12).map { "<!ENTITY l\($0) \"" + String(repeating: "&l\($0 - 1);", count: 10) + "\">" }.joined()
    let bomb = "<!DOCTYPE svg [<!ENTITY l0 'ha'>\(laughs)]>\(Self.start)><text>&l12;</text></svg>"
    #expect(headerCode(Array(bomb.utf8)) == .imageCorrupt)
    let circle = "<!DOCTYPE svg [<!ENTITY a '&b;'><!ENTITY b '&a;'>]>\(Self.start)><text>&a;</text></svg>"
    #expect(headerCode(Array(circle.utf8)) == .imageCorrupt)
  }

  @Test func `uses of uses are counted as what they draw`() {
    func nested(_ levels: Int) -> [UInt8] {
      let groups = (1...levels).map {
        "<g id='g\($0)'>" + String(repeating: "<use href='#g\($0 - 1)'/>", count: 10) + "</g>"
      }
      return Array("\(Self.start)><g id='g0'/>\(groups.joined())</svg>".utf8)
    }
    #expect(headerCode(nested(3)) == nil)
    #expect(headerCode(nested(8)) == .imageCorrupt)
    #expect(headerCode(Array("\(Self.start)><g id='a'><use href='#a'/></g></svg>".utf8)) == nil)
  }

  @Test func `depth and elements are bounded`() {
    func deep(_ depth: Int) -> [UInt8] {
      Array(
        (Self.start + ">" + String(repeating: "<g>", count: depth - 1) + String(repeating: "</g>", count: depth - 1)
          + "</svg>").utf8)
    }
    #expect(headerCode(deep(256)) == nil)
    #expect(headerCode(deep(257)) == .imageCorrupt)
  }

  @Test func `embedded pictures are PNG or JPEG within the limit of pixels, all of them together`() throws {
    func image(_ type: String, _ bytes: [UInt8]) -> String {
      "<image href=\"data:\(type);base64,\(String(decoding: Base64.encode(bytes), as: UTF8.self))\"/>"
    }
    func code(_ content: String) -> AvatarError.Code? {
      headerCode(Array("\(Self.start)>\(content)</svg>".utf8), limits: ImageLimits(maxPixelsWhole: 100))
    }
    let png = HeaderBytes.png(10, 10, HeaderBytes.chunk("zTXt", [1]), HeaderBytes.chunk("IDAT", [1]))
    #expect(code(image("image/png", png)) == nil)
    #expect(code(image("IMAGE/PNG;a=b", png)) == nil)
    #expect(code(image("image/png", png) + image("image/png", png)) == .imageTooManyPixels)
    #expect(code(image("image/png", HeaderBytes.png(101, 1, HeaderBytes.chunk("IDAT", [1])))) == .imageTooManyPixels)
    #expect(
      code(image("image/png", HeaderBytes.png(1 << 31 - 1, 1 << 31 - 1, HeaderBytes.chunk("IDAT", [1]))))
        == .imageTooManyPixels)
    #expect(code(image("image/png", Array("GIF89a".utf8))) == .imageUnsupported)
    #expect(code(image("image/svg+xml", Array("<svg/>".utf8))) == .imageUnsupported)
    #expect(code("<image href=\" d&#97;ta:image/tiff,a\"/>") == .imageUnsupported)
    // What the bytes are counts, and only what makes the picture is kept.
    let kept = try body(of: image("image/gif", png))
    #expect(
      kept.contains("data:image/png;base64,") && !kept.contains(String(decoding: Base64.encode(png), as: UTF8.self)))
  }

  @Test(arguments: [[], [1], [1, 2], [1, 2, 3], [255, 254, 253, 252]] as [[UInt8]])
  func `base64 comes back as it went`(_ bytes: [UInt8]) {
    #expect(Base64.decode(Base64.encode(bytes)) == bytes)
  }

  @Test func `base64 that is none is told`() {
    for bad in ["A", "AA=A", "A*==", "AAA===", "AAAAA"] { #expect(Base64.decode(bad.utf8) == nil, "\(bad)") }
    #expect(Base64.decode("A A\nE".utf8) == [0, 1])
  }
}
