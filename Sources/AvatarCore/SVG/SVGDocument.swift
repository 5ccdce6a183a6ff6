/// Reads an SVG and writes it anew, with only what draws: what the decoder gets was chosen here, not merely looked over.
///
/// Left out: the document type and its entities (replaced by their text), comments, processing instructions, scripts, event
/// handlers, elements and attributes of other namespaces (XInclude among them), `foreignObject`, every reference that does not begin with `#`,
/// style sheets' imports. Embedded pictures are PNG or JPEG, reduced to what makes them; others are refused. The root gets a size of its own, so that the
/// decoder draws to measure. (SVG 1.1; XML 1.0; Namespaces in XML 1.0.)
struct SVGDocument {
  /// The longer side that the root is given.
  static let drawnSide = 1024.0
  static let maximumDepth = 256
  static let maximumElements = 200_000

  private static let namespace = "http://www.w3.org/2000/svg"
  private static let linkNamespace = "http://www.w3.org/1999/xlink"
  private static let dropped: Set<String> = ["script", "foreignObject", "iframe", "audio", "video", "canvas"]

  private var reader: XMLReader
  private let limits: ImageLimits
  private var output: [UInt8] = []
  private var size = SVGSize(attributes: [])
  /// Open elements: the name as written, and as read (nil for one that is left out).
  private var open: [(written: String, kept: String?)] = []
  private var scope: [(prefix: String, uri: String, depth: Int)] = []
  private var elements = 0
  private var style: [UInt8] = []
  private var uses = SVGUses()
  private var embeddedPixels = 0

  /// The header and the rewritten drawing. Throws `image_unsupported` for XML that is no SVG and for pictures in it that are not
  /// PNG or JPEG, `image_corrupt` for what is not well-formed or draws without end, `image_too_many_pixels` for pictures in it.
  static func read(_ source: [UInt8], limits: ImageLimits) throws(AvatarError) -> ImageHeader {
    guard let encoding = SVGEncoding(sniffing: source) else { throw .unsupported("not XML") }
    var document = SVGDocument(reader: XMLReader(encoding.text(source[...])), limits: limits)
    try document.rewrite()
    var header = ImageHeader(
      format: .svg, width: document.size.pixelWidth, height: document.size.pixelHeight, essence: document.output)
    header.drawnWidth = document.size.drawnWidth
    header.drawnHeight = document.size.drawnHeight
    return header
  }

  private init(reader: XMLReader, limits: ImageLimits) {
    self.reader = reader
    self.limits = limits
  }

  private mutating func rewrite() throws(AvatarError) {
    var hasRoot = false
    while true {
      let event: XMLReader.Event?
      do throws(AvatarError) {
        event = try reader.next()
      } catch {
        // Before its root is seen nothing says that it is a drawing at all: HTML is not XML either.
        throw hasRoot ? error : .unsupported("not XML: \(error.detail)")
      }
      guard let event else { break }
      switch event {
      case .start(let name, let attributes, let isEmpty):
        guard !hasRoot || !open.isEmpty else { throw .corrupt("SVG of two roots") }
        try start(name, attributes, isRoot: !hasRoot)
        hasRoot = true
        if isEmpty { try end(name) }
      case .end(let name): try end(name)
      case .text(let text): self.text(text)
      }
      if hasRoot && open.isEmpty { break }  // What follows the root draws nothing.
    }
    guard hasRoot else { throw .unsupported("XML without an element") }
    guard open.isEmpty else { throw .corrupt("SVG ends before its root does") }
    try uses.check()
  }

  private mutating func start(
    _ name: String, _ attributes: [(name: String, value: [UInt8])], isRoot: Bool
  ) throws(AvatarError) {
    elements += 1
    guard elements <= Self.maximumElements else { throw .corrupt("SVG of too many elements") }
    guard open.count < Self.maximumDepth else { throw .corrupt("SVG nested too deep") }
    for (attribute, value) in attributes {
      if attribute == "xmlns" {
        scope.append(("", String(decoding: value, as: UTF8.self), open.count))
      } else if attribute.hasPrefix("xmlns:") {
        scope.append((String(attribute.dropFirst(6)), String(decoding: value, as: UTF8.self), open.count))
      }
    }
    let (prefix, local) = Self.split(name)
    // A root that names no namespace at all is meant as SVG.
    let uri = uri(of: prefix) ?? (prefix.isEmpty && (isRoot || !isForeign) ? Self.namespace : "")
    if isRoot {
      guard local == "svg" && uri == Self.namespace else {
        throw .unsupported("XML of another kind: \(name.prefix(64))")
      }
    }
    let isKept = !isForeign && uri == Self.namespace && !Self.dropped.contains(local)
    open.append((name, isKept ? local : nil))
    guard isKept else { return }
    try write(local, attributes, isRoot: isRoot)
  }

  private var isForeign: Bool { open.last.map { $0.kept == nil } ?? false }

  private mutating func write(
    _ local: String, _ attributes: [(name: String, value: [UInt8])], isRoot: Bool
  ) throws(AvatarError) {
    // librsvg 2.54 aborts its process over a tile of nothing, and what it is a tile of only drawing tells.
    guard local != "feTile" else { throw .unsupported("SVG with feTile") }
    if local == "style" { style = [] }
    output += "<\(local)".utf8
    var kept: [(name: String, value: [UInt8])] = []
    var links: [[UInt8]] = []
    for (name, value) in attributes {
      let (prefix, plain) = Self.split(name)
      if plain == "href" && (prefix.isEmpty || uri(of: prefix) == Self.linkNamespace) {
        // The one without a prefix counts where both are there. (SVG 2, 16.1.6.)
        links.insert(value, at: prefix.isEmpty ? 0 : links.count)
      } else if prefix.isEmpty ? name != "xmlns" && !plain.lowercased().hasPrefix("on") : name == "xml:space" {
        if let safe = SVGStyle.safe(attribute: value, isStyle: name == "style") { kept.append((name, safe)) }
      }
    }
    if isRoot {
      size = SVGSize(attributes: kept)
      kept = size.applied(to: kept)
      output += " xmlns=\"\(Self.namespace)\" xmlns:xlink=\"\(Self.linkNamespace)\"".utf8
    }
    for (name, value) in kept { put(attribute: name, value) }
    uses.open(id: kept.first { $0.name == "id" }?.value)
    if let link = links.first, let value = try safe(link, of: local) { put(attribute: "xlink:href", value) }
    output.append(UInt8(ascii: ">"))
  }

  /// What a reference becomes; nil for one that leads out of the document, which is never followed.
  private mutating func safe(_ link: [UInt8], of element: String) throws(AvatarError) -> [UInt8]? {
    let trimmed = Array(link.drop(while: XMLReader.isSpace))
    if trimmed.first == UInt8(ascii: "#") {
      if element == "use" { uses.use(Array(trimmed.dropFirst())) }
      return trimmed
    }
    guard element == "image" || element == "feImage" else { return nil }
    guard let picture = try SVGPicture(trimmed, limits: limits) else { return nil }
    embeddedPixels += picture.pixels
    guard embeddedPixels <= limits.maxPixelsWhole else {
      throw AvatarError(.imageTooManyPixels, "pictures in an SVG of \(embeddedPixels) pixels")
    }
    return picture.reference
  }

  private mutating func end(_ name: String) throws(AvatarError) {
    guard let element = open.popLast(), element.written == name else {
      throw .corrupt("SVG end tag \(name.prefix(64))")
    }
    scope.removeAll { $0.depth >= open.count }
    guard let local = element.kept else { return }
    uses.close()
    if local == "style" { put(SVGStyle.safe(sheet: style)) }
    output += "</\(local)>".utf8
  }

  private mutating func text(_ text: [UInt8]) {
    guard let element = open.last, let local = element.kept else { return }
    if local == "style" {
      style += text
    } else {
      put(text)
    }
  }

  private func uri(of prefix: String) -> String? { scope.last { $0.prefix == prefix }?.uri }

  private static func split(_ name: String) -> (prefix: String, local: String) {
    guard let colon = name.firstIndex(of: ":") else { return ("", name) }
    return (String(name[..<colon]), String(name[name.index(after: colon)...]))
  }

  private mutating func put(attribute name: String, _ value: [UInt8]) {
    output += " \(name)=\"".utf8
    put(value)
    output.append(UInt8(ascii: "\""))
  }

  /// Writes text or a value so that it reads as just that; characters that XML does not have are left out.
  private mutating func put(_ text: [UInt8]) {
    for byte in text {
      switch byte {
      case UInt8(ascii: "&"): output += "&amp;".utf8
      case UInt8(ascii: "<"): output += "&lt;".utf8
      case UInt8(ascii: ">"): output += "&gt;".utf8
      case UInt8(ascii: "\""): output += "&quot;".utf8
      case 0..<9, 11, 12, 14..<32: break
      default: output.append(byte)
      }
    }
  }
}
