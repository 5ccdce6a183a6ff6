/// Finds what somebody probably meant: for unknown keys, variables, flags and commands.
public enum Spelling {
  /// The candidate nearest to `word`: the same but for case or separators, a candidate whose last part is the word, or
  /// one at most two edits (three in long words) away. nil where none is near.
  public static func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
    guard word.utf8.count <= 100 else { return nil }
    let candidates = Array(candidates)
    let plain = squashed(word)
    if let same = candidates.first(where: { squashed($0) == plain }) { return same }
    if let longer = candidates.first(where: { candidate in
      guard let dot = candidate.lastIndex(of: ".") else { return false }
      return squashed(candidate[candidate.index(after: dot)...].description) == plain
    }) {
      return longer
    }
    let limit = plain.count >= 12 ? 3 : plain.count >= 5 ? 2 : 1
    let measured = candidates.map { (candidate: $0, distance: distance(plain, squashed($0))) }
    guard let best = measured.min(by: { $0.distance < $1.distance }), best.distance <= limit else { return nil }
    return best.candidate
  }

  /// `; did you mean NAME?`, or nothing.
  public static func hint(for word: String, among candidates: some Sequence<String>) -> String {
    nearest(to: word, among: candidates).map { "; did you mean \($0)?" } ?? ""
  }

  private static func squashed(_ word: String) -> [UInt8] {
    word.lowercased().utf8.filter { $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: ".") }
  }

  /// Edits from one to the other: insert, drop, replace, or swap two neighbours (optimal string alignment).
  static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for row in left.indices {
      var current = [row + 1]
      for column in right.indices {
        let replaced = last[column] + (left[row] == right[column] ? 0 : 1)
        var least = min(replaced, last[column + 1] + 1, current[column] + 1)
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          least = min(least, beforeLast[column - 1] + 1)
        }
        current.append(least)
      }
      beforeLast = last
      last = current
    }
    return last[right.count]
  }
}
