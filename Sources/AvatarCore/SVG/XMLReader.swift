/// Reads XML 1.0 as far as drawings need it, within bounds: elements, attributes, text and the entities that the document
/// itself declares. Nothing outside the document is ever named to anyone.
///
/// Comments, processing instructions and the document type are passed over. Entities are replaced while reading, at most
/// `maximumExpansion` bytes of them in all, so that no nesting of them grows.
struct XMLReader {
  /// What is read next. Texts are UTF-8 with references replaced.
  enum Event {
    case start(name: String, attributes: [(name: String, value: [UInt8])], isEmpty: Bool)
    case end(name: String)
    case text([UInt8])
  }

  static let maximumExpansion = 1 << 20
  static let maximumAttributes = 1000

  private let bytes: [UInt8]
  private var offset = 0
  private var entities: XMLEntities

  /// Of a whole document in UTF-8.
  init(_ bytes: [UInt8]) {
    self.init(bytes, entities: XMLEntities())
  }

  private init(_ bytes: [UInt8], entities: XMLEntities) {
    self.bytes = bytes
    self.entities = entities
  }

  static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || byte == 10 || byte == 9 || byte == 13 }

  /// Reads to the end of the bytes; throws `image_corrupt` where they are not XML.
  mutating func next() throws(AvatarError) -> Event? {
    while offset < bytes.count {
      if bytes[offset] != UInt8(ascii: "<") { return .text(try text()) }
      if skips("<!--") {
        try skip(past: "-->")
      } else if skips("<![CDATA[") {
        let start = offset
        try skip(past: "]]>")
        return .text(Array(bytes[start..<offset - 3]))
      } else if skips("<?") {
        try skip(past: "?>")
      } else if skips("<!DOCTYPE") {
        try documentType()
      } else if skips("</") {
        let name = try self.name()
        skipSpace()
        guard skips(">") else { throw .corrupt("XML end tag") }
        return .end(name: name)
      } else {
        offset += 1
        return try startTag()
      }
    }
    return nil
  }

  private mutating func startTag() throws(AvatarError) -> Event {
    let name = try self.name()
    var attributes: [(name: String, value: [UInt8])] = []
    while true {
      skipSpace()
      if skips("/>") { return .start(name: name, attributes: attributes, isEmpty: true) }
      if skips(">") { return .start(name: name, attributes: attributes, isEmpty: false) }
      let attribute = try self.name()
      skipSpace()
      guard skips("=") else { throw .corrupt("XML attribute without a value") }
      skipSpace()
      let raw = try quoted()
      guard attributes.count < Self.maximumAttributes else { throw .corrupt("XML element of too many attributes") }
      guard !attributes.contains(where: { $0.name == attribute }) else { throw .corrupt("XML attribute given twice") }
      attributes.append((attribute, try entities.expand(raw)))
    }
  }

  private mutating func text() throws(AvatarError) -> [UInt8] {
    let start = offset
    while offset < bytes.count && bytes[offset] != UInt8(ascii: "<") { offset += 1 }
    return try entities.expand(bytes[start..<offset])
  }

  private mutating func quoted() throws(AvatarError) -> ArraySlice<UInt8> {
    guard offset < bytes.count, bytes[offset] == UInt8(ascii: "\"") || bytes[offset] == UInt8(ascii: "'"),
      let end = bytes[(offset + 1)...].firstIndex(of: bytes[offset])
    else { throw .corrupt("XML value without quotes") }
    defer { offset = end + 1 }
    return bytes[offset + 1..<end]
  }

  private mutating func name() throws(AvatarError) -> String {
    let start = offset
    while offset < bytes.count {
      switch bytes[offset] {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x80...0xFF,
        UInt8(ascii: "_"), UInt8(ascii: ":"):
        break
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
        if offset == start { throw .corrupt("XML name") }
      default:
        guard offset > start && offset - start <= 256 else { throw .corrupt("XML name") }
        return String(decoding: bytes[start..<offset], as: UTF8.self)
      }
      offset += 1
    }
    throw .corrupt("XML ends in a name")
  }

  /// Passes over the document type and keeps the general entities that it declares with a value of their own.
  private mutating func documentType() throws(AvatarError) {
    while offset < bytes.count && bytes[offset] != UInt8(ascii: "[") {
      if bytes[offset] == UInt8(ascii: ">") {
        offset += 1
        return
      }
      if bytes[offset] == UInt8(ascii: "\"") || bytes[offset] == UInt8(ascii: "'") {
        _ = try quoted()
      } else {
        offset += 1
      }
    }
    guard skips("[") else { throw .corrupt("XML ends in its document type") }
    while true {
      skipSpace()
      if skips("]") { break }
      if skips("<!--") {
        try skip(past: "-->")
      } else if skips("<?") {
        try skip(past: "?>")
      } else if skips("<!ENTITY") {
        try entity()
      } else if skips("<!") {
        try declaration()
      } else if skips("%") {
        // A parameter entity would be more declarations from somewhere: not read.
        try skip(past: ";")
      } else {
        throw .corrupt("XML document type")
      }
    }
    skipSpace()
    guard skips(">") else { throw .corrupt("XML document type") }
  }

  private mutating func entity() throws(AvatarError) {
    skipSpace()
    guard !skips("%") else { return try declaration() }
    let name = try self.name()
    skipSpace()
    guard offset < bytes.count, bytes[offset] == UInt8(ascii: "\"") || bytes[offset] == UInt8(ascii: "'") else {
      return try declaration()  // SYSTEM or PUBLIC: lies outside, and stays there.
    }
    entities.declare(name, Array(try quoted()))
    try declaration()
  }

  /// To the end of a declaration whose beginning was read.
  private mutating func declaration() throws(AvatarError) {
    while offset < bytes.count {
      if skips(">") { return }
      if bytes[offset] == UInt8(ascii: "\"") || bytes[offset] == UInt8(ascii: "'") {
        _ = try quoted()
      } else {
        offset += 1
      }
    }
    throw .corrupt("XML ends in a declaration")
  }

  private mutating func skipSpace() {
    while offset < bytes.count && Self.isSpace(bytes[offset]) { offset += 1 }
  }

  private mutating func skips(_ text: StaticString) -> Bool {
    let matches = text.withUTF8Buffer { bytes[offset...].starts(with: $0) }
    if matches { offset += text.utf8CodeUnitCount }
    return matches
  }

  private mutating func skip(past text: StaticString) throws(AvatarError) {
    let found: Int? = text.withUTF8Buffer { text in
      var at = offset
      while at + text.count <= bytes.count {
        if bytes[at] == text[0] && bytes[at..<at + text.count].elementsEqual(text) { return at + text.count }
        at += 1
      }
      return nil
    }
    guard let found else { throw .corrupt("XML ends in a section") }
    offset = found
  }
}
