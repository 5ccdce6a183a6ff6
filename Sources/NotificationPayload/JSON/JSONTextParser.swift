/// Checks a text against the grammar of RFC 8259 and notes the members of its objects. One pass, with a stack of its own.
struct JSONTextParser {
  private struct Level {
    var isObject: Bool
    /// -1 where the value is not recorded.
    var node: Int32
  }
  private struct Name {
    var start: Int32
    var end: Int32
    var hasEscapes: Bool
  }

  private let bytes: [UInt8]
  private var position = 0
  private var levels: [Level] = []
  private var name: Name?
  private var sawOtherThanASCII = false
  private(set) var nodes: [JSONText.Node] = []

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Whether the text is one JSON value in UTF-8.
  mutating func run() -> Bool {
    repeat {
      guard let hasOpened = value() else { return false }
      if hasOpened { continue }  // An array or object that is not empty: its first value comes.
      guard let isOver = closing() else { return false }
      if isOver { return isUTF8 }
    } while true
  }

  /// Strings hold bytes as they came. A text that changes when it is read as UTF-8 was none.
  private var isUTF8: Bool {
    !sawOtherThanASCII || String(decoding: bytes, as: UTF8.self).utf8.elementsEqual(bytes)
  }

  /// Reads a scalar, or the start of an array or object. True: another value comes at once; false: one has ended; nil: no JSON.
  private mutating func value() -> Bool? {
    skipBlanks()
    guard position < bytes.count else { return nil }
    let start = position
    switch bytes[position] {
    case UInt8(ascii: "{"):
      position += 1
      levels.append(Level(isObject: true, node: note(.object, start)))
      skipBlanks()
      if peek == UInt8(ascii: "}") { return false }
      return memberName() ? true : nil
    case UInt8(ascii: "["):
      position += 1
      levels.append(Level(isObject: false, node: note(.array, start)))
      skipBlanks()
      return peek == UInt8(ascii: "]") ? false : true
    case UInt8(ascii: "\""):
      guard string() != nil else { return nil }
      close(note(.string, start))
    case UInt8(ascii: "t"): return word("true", .yes, start)
    case UInt8(ascii: "f"): return word("false", .no, start)
    case UInt8(ascii: "n"): return word("null", .null, start)
    default:
      guard number() else { return nil }
      close(note(.number, start))
    }
    return false
  }

  /// What may follow a value. True: the text is over; false: another value comes; nil: no JSON.
  private mutating func closing() -> Bool? {
    while true {
      skipBlanks()
      guard let level = levels.last else { return position == bytes.count ? true : nil }
      guard let byte = peek else { return nil }
      position += 1
      switch byte {
      case UInt8(ascii: ","):
        guard level.isObject else { return false }
        skipBlanks()
        return memberName() ? false : nil
      case UInt8(ascii: "]") where !level.isObject, UInt8(ascii: "}") where level.isObject:
        levels.removeLast()
        close(level.node)
      default: return nil
      }
    }
  }

  private mutating func memberName() -> Bool {
    let start = position
    guard peek == UInt8(ascii: "\""), let hasEscapes = string() else { return false }
    name = Name(start: Int32(start), end: Int32(position), hasEscapes: hasEscapes)
    skipBlanks()
    guard peek == UInt8(ascii: ":") else { return false }
    position += 1
    return true
  }

  /// Records a value that begins, where its object is recorded; else -1.
  private mutating func note(_ kind: JSONText.Kind, _ start: Int) -> Int32 {
    var node = JSONText.Node(kind: kind, start: Int32(start), end: Int32(start))
    let index = Int32(nodes.count)
    if let level = levels.last {
      guard level.isObject, level.node >= 0, levels.count <= JSONText.recordedDepth, let name else { return -1 }
      node.nameStart = name.start
      node.nameEnd = name.end
      node.nameHasEscapes = name.hasEscapes
      node.parent = level.node
      let last = nodes[Int(level.node)].lastChild
      if last < 0 { nodes[Int(level.node)].firstChild = index } else { nodes[Int(last)].next = index }
      nodes[Int(level.node)].lastChild = index
    }
    nodes.append(node)
    return index
  }

  private mutating func close(_ node: Int32) {
    if node >= 0 { nodes[Int(node)].end = Int32(position) }
  }

  private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipBlanks() {
    while position < bytes.count, JSONTextParser.isBlank(bytes[position]) { position += 1 }
  }

  static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

  private mutating func word(_ word: StaticString, _ kind: JSONText.Kind, _ start: Int) -> Bool? {
    let end = start + word.utf8CodeUnitCount
    guard end <= bytes.count, bytes[start..<end].elementsEqual("\(word)".utf8) else { return nil }
    position = end
    close(note(kind, start))
    return false
  }

  /// Section 7: from quote to quote. Whether it has escapes; nil if it is none.
  private mutating func string() -> Bool? {
    var hasEscapes = false
    position += 1
    while let byte = peek {
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return hasEscapes
      case UInt8(ascii: "\\"):
        hasEscapes = true
        guard let kind = peek else { return nil }
        position += 1
        if kind == UInt8(ascii: "u") {
          guard position + 4 <= bytes.count,
            bytes[position..<(position + 4)].allSatisfy({ JSONString.digit($0) != nil })
          else { return nil }
          position += 4
        } else if JSONString.plainEscape(kind) == nil {
          return nil
        }
      case 0..<0x20: return nil
      case 0x80...: sawOtherThanASCII = true
      default: break
      }
    }
    return nil
  }

  /// Section 6.
  private mutating func number() -> Bool {
    if peek == UInt8(ascii: "-") { position += 1 }
    if peek == UInt8(ascii: "0") { position += 1 } else if !digits() { return false }
    if peek == UInt8(ascii: ".") {
      position += 1
      guard digits() else { return false }
    }
    if peek == UInt8(ascii: "e") || peek == UInt8(ascii: "E") {
      position += 1
      if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { position += 1 }
      guard digits() else { return false }
    }
    return true
  }

  private mutating func digits() -> Bool {
    let start = position
    while let byte = peek, (0x30...0x39).contains(byte) { position += 1 }
    return position > start
  }
}
