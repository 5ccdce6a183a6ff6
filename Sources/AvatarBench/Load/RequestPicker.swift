/// Chooses which request of a book comes next for one of several threads.
struct RequestPicker {
  private let order: LoadPlan.Order
  private let count: Int
  private let step: Int
  private var place: Int
  private var random: UInt64

  init(order: LoadPlan.Order, count: Int, share: (index: Int, of: Int)) {
    self.order = order
    self.count = count
    step = share.of
    place = share.index
    if case .shuffled(let seed) = order {
      random = (seed &+ UInt64(share.index) &+ 1) &* 0x9E37_79B9_7F4A_7C15 | 1
    } else {
      random = 1
    }
  }

  /// Whether there is no further one.
  var isEmpty: Bool { count == 0 || (order == .once && place >= count) }

  /// The next request's place in the book; nil where a book that is sent once has been.
  mutating func next() -> Int? {
    guard !isEmpty else { return nil }
    if case .shuffled = order {
      // Marsaglia's xorshift64.
      random ^= random << 13
      random ^= random >> 7
      random ^= random << 17
      return Int(random % UInt64(count))
    }
    defer { place += step }
    return order == .once ? place : place % count
  }
}
