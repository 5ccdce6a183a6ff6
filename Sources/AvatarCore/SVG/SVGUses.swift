/// Counts what a drawing draws when each `use` stands for what it refers to, and refuses what grows past all bounds.
struct SVGUses {
  /// Most elements that are drawn, repetitions included.
  static let maximumDrawn = 500_000

  /// An element with an id, or the root, and what is in it up to the next such element.
  private struct Group {
    var elements = 0
    var inner: [Int] = []
    var used: [[UInt8]] = []
  }

  private var groups = [Group()]
  private var named: [[UInt8]: Int] = [:]
  /// The group of each open element.
  private var open: [Int] = []

  mutating func open(id: [UInt8]?) {
    let parent = open.last ?? 0
    var group = parent
    if let id, named[id] == nil {
      group = groups.count
      groups.append(Group())
      groups[parent].inner.append(group)
      named[id] = group
    }
    groups[group].elements += 1
    open.append(group)
  }

  mutating func close() { open.removeLast() }

  /// Notes that the element that was opened last refers to `id`.
  mutating func use(_ id: [UInt8]) { groups[open.last ?? 0].used.append(id) }

  /// Throws `image_corrupt` where too much would be drawn.
  func check() throws(AvatarError) {
    var costs: [Int: Int] = [:]
    let total = try cost(of: 0, depth: 0, &costs)
    guard total <= Self.maximumDrawn else { throw .corrupt("SVG that draws \(total) elements") }
  }

  private func cost(of group: Int, depth: Int, _ costs: inout [Int: Int]) throws(AvatarError) -> Int {
    if let known = costs[group] { return known }
    guard depth < 1000 else { throw .corrupt("SVG of uses in uses in uses") }
    costs[group] = 0  // One that comes back to itself is not drawn again.
    var sum = groups[group].elements
    for inner in groups[group].inner + groups[group].used.compactMap({ named[$0] }) {
      sum = min(Self.maximumDrawn + 1, sum + (try cost(of: inner, depth: depth + 1, &costs)))
    }
    costs[group] = sum
    return sum
  }
}
