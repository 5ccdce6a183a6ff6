/// Changes to a payload's text that leave every other byte as it was.
struct PayloadSplice {
  private struct Edit {
    var span: Range<Int>
    var bytes: [UInt8]
  }

  private let tree: PayloadTree
  private var edits: [Edit] = []
  private var removed: Set<PayloadNode> = []
  private var added: [(holder: PayloadNode, member: [UInt8])] = []

  init(_ tree: PayloadTree) { self.tree = tree }

  /// Puts another value, as JSON, in the place of one.
  mutating func replace(_ value: PayloadNode, with json: [UInt8]) {
    edit(value.document, tree.text(holding: value).span(value.node), json)
  }

  /// Takes a member out of its object, name and comma too.
  mutating func remove(_ value: PayloadNode) { removed.insert(value) }

  /// Adds a member, as JSON, at an object's end.
  mutating func add(_ member: [UInt8], to holder: PayloadNode) { added.append((holder, member)) }

  /// The changed text.
  func spliced() -> [UInt8] {
    var whole = self
    whole.settleMembers()
    let edits = whole.edits.sorted {
      // What is put in stands before what is taken out at the same place.
      ($0.span.lowerBound, $0.span.upperBound) < ($1.span.lowerBound, $1.span.upperBound)
    }
    let old = tree.text.bytes
    var new: [UInt8] = []
    new.reserveCapacity(old.count + edits.reduce(0) { $0 + $1.bytes.count })
    var position = 0
    for edit in edits {
      new += old[position..<edit.span.lowerBound]
      new += edit.bytes
      position = edit.span.upperBound
    }
    return new + old[position...]
  }

  private mutating func settleMembers() {
    var holders: [PayloadNode] = added.map(\.holder)
    for value in removed {
      guard let parent = tree.text(holding: value).parent(of: value.node) else { continue }
      holders.append(PayloadNode(document: value.document, node: parent))
    }
    for holder in Set(holders) { settle(holder) }
  }

  private mutating func settle(_ holder: PayloadNode) {
    let text = tree.text(holding: holder)
    let members = text.members(of: holder.node)
    let isRemoved = members.map { removed.contains(PayloadNode(document: holder.document, node: $0)) }
    var lastKept: Int?
    for (index, member) in members.enumerated() {
      let span = text.memberSpan(member)
      if !isRemoved[index] {
        lastKept = index
      } else if lastKept != nil {
        edit(holder.document, text.memberSpan(members[index - 1]).upperBound..<span.upperBound, [])
      } else {
        let next = index + 1 < members.count ? text.memberSpan(members[index + 1]).lowerBound : span.upperBound
        edit(holder.document, span.lowerBound..<next, [])
      }
    }
    let place = lastKept.map { text.memberSpan(members[$0]).upperBound } ?? text.span(holder.node).lowerBound + 1
    var needsComma = lastKept != nil
    var json: [UInt8] = []
    for (owner, member) in added where owner == holder {
      if needsComma { json.append(UInt8(ascii: ",")) }
      json += member
      needsComma = true
    }
    if !json.isEmpty { edit(holder.document, place..<place, json) }
  }

  /// In an opened text the change goes to where its bytes came from, escaped as that string's contents are.
  private mutating func edit(_ document: Int, _ span: Range<Int>, _ bytes: [UInt8]) {
    guard document > 0 else {
      edits.append(Edit(span: span, bytes: bytes))
      return
    }
    let origins = tree.documents[document].origins
    edits.append(Edit(span: origins[span.lowerBound]..<origins[span.upperBound], bytes: JSONString.escaped(bytes)))
  }
}
