/// Bounds how many may wait, fairly: a group may send one more in only while more places are free than it holds. Pure.
///
/// One host with a thousand pictures fills half of the room, never all of it.
struct WaitingRoom<Group: Hashable> {
  /// Places in all.
  let places: Int
  /// Places taken.
  private(set) var count = 0
  private var held: [Group: Int] = [:]

  /// With so many places.
  init(places: Int) { self.places = places }

  /// Takes a place; false if the group must be turned away.
  mutating func enter(_ group: Group) -> Bool {
    let own = held[group] ?? 0
    guard count < places, own < places - count else { return false }
    held[group] = own + 1
    count += 1
    return true
  }

  /// Gives a place of the group back.
  mutating func leave(_ group: Group) {
    guard let own = held[group], own > 0 else { preconditionFailure("a place is given back once") }
    held[group] = own == 1 ? nil : own - 1
    count -= 1
  }
}
