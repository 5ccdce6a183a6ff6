/// A first-in, first-out line over one array.
struct Fifo<Element> {
  private var elements: [Element?] = []
  private var head = 0

  /// Elements in the line.
  var count: Int { elements.count - head }
  /// Whether nobody waits.
  var isEmpty: Bool { count == 0 }

  /// Adds the last.
  mutating func append(_ element: Element) { elements.append(element) }

  /// Adds before all others.
  mutating func prepend(_ element: Element) {
    if head > 0 {
      head -= 1
      elements[head] = element
    } else {
      elements.insert(element, at: 0)
    }
  }

  /// Takes the first.
  mutating func popFirst() -> Element? {
    guard head < elements.count else { return nil }
    let first = elements[head]
    elements[head] = nil
    head += 1
    if head > 32, head > elements.count / 2 {
      elements.removeFirst(head)
      head = 0
    }
    return first
  }

  /// Takes out the first that fits; false if none does.
  mutating func removeFirst(where fits: (Element) -> Bool) -> Bool {
    guard let index = elements[head...].firstIndex(where: { $0.map(fits) ?? false }) else { return false }
    elements.remove(at: index)
    return true
  }
}
