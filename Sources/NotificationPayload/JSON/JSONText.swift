/// A JSON text (RFC 8259) that was checked as a whole, with the spans of its objects' members: what it takes to read a few fields,
/// and to put others in their place without touching a byte around them.
///
/// Members are recorded to `recordedDepth` levels of objects; what lies deeper or in arrays is checked, but not looked into. No
/// recursion: depth costs no stack. Of members with equal names the last counts, as in most readers.
package struct JSONText: Sendable {
  /// How many levels of objects are looked into.
  package static let recordedDepth = 16

  /// What a value is.
  package enum Kind: UInt8, Sendable { case object, array, string, number, yes, no, null }

  struct Node: Sendable {
    var kind: Kind
    var start: Int32
    var end: Int32
    /// The name with its quotes; empty for the top value.
    var nameStart: Int32 = 0
    var nameEnd: Int32 = 0
    var nameHasEscapes = false
    var parent: Int32 = -1
    var firstChild: Int32 = -1
    var lastChild: Int32 = -1
    var next: Int32 = -1
  }

  /// The text.
  package let bytes: [UInt8]
  /// The top value is the first.
  let nodes: [Node]

  /// Checks a text; nil if it is not one JSON value in UTF-8 (blanks around it are), or larger than 2 GiB.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count < Int(Int32.max) else { return nil }
    var parser = JSONTextParser(bytes)
    guard parser.run() else { return nil }
    self.bytes = bytes
    nodes = parser.nodes
  }

  /// `{}`.
  static let emptyObject = JSONText(
    bytes: Array("{}".utf8), nodes: [Node(kind: .object, start: 0, end: 2)])

  private init(bytes: [UInt8], nodes: [Node]) {
    self.bytes = bytes
    self.nodes = nodes
  }

  /// What a value is.
  package func kind(_ node: Int) -> Kind { nodes[node].kind }

  /// Where a value stands, without blanks around it.
  package func span(_ node: Int) -> Range<Int> { Int(nodes[node].start)..<Int(nodes[node].end) }

  /// Where a member stands: from its name's quote to its value's end.
  func memberSpan(_ node: Int) -> Range<Int> { Int(nodes[node].nameStart)..<Int(nodes[node].end) }

  /// A value's own bytes.
  package func raw(_ node: Int) -> ArraySlice<UInt8> { bytes[span(node)] }

  /// A member of an object by its name; nil without one, and where `node` is no object that is looked into.
  package func member(_ name: String, of node: Int) -> Int? {
    let wanted = Array(name.utf8)
    return members(of: node).last { isNamed($0, wanted) }
  }

  /// The members of an object in their order, those with equal names too.
  func members(of node: Int) -> [Int] {
    var found: [Int] = []
    var child = nodes[node].firstChild
    while child >= 0 {
      found.append(Int(child))
      child = nodes[Int(child)].next
    }
    return found
  }

  /// The object that a member belongs to; nil for the top value.
  func parent(of node: Int) -> Int? {
    let parent = nodes[node].parent
    return parent < 0 ? nil : Int(parent)
  }

  /// The name of a member.
  func name(of node: Int) -> String {
    String(decoding: JSONString(contents: nameContents(nodes[node])).bytes, as: UTF8.self)
  }

  /// What a string stands for; nil for another kind.
  package func string(_ node: Int) -> String? { decoded(node).map { String(decoding: $0.bytes, as: UTF8.self) } }

  func decoded(_ node: Int) -> JSONString? {
    guard nodes[node].kind == .string else { return nil }
    let span = span(node)
    return JSONString(contents: bytes[(span.lowerBound + 1)..<(span.upperBound - 1)])
  }

  private func nameContents(_ node: Node) -> ArraySlice<UInt8> {
    bytes[Int(node.nameStart + 1)..<Int(node.nameEnd - 1)]
  }

  private func isNamed(_ node: Int, _ wanted: [UInt8]) -> Bool {
    let contents = nameContents(nodes[node])
    if !nodes[node].nameHasEscapes { return contents.count == wanted.count && contents.elementsEqual(wanted) }
    return contents.count >= wanted.count && JSONString(contents: contents).bytes == wanted
  }
}
