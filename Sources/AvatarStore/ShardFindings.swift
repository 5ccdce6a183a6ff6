import AvatarCore

/// What one folder of objects holds that it should not, and what it lacks.
struct ShardFindings: Sendable {
  /// How many are settled in one transaction: others wait for the lock no longer than that takes.
  static let partSize = 128

  /// Objects whose file is missing or does not fit its name.
  var broken: [ContentHash] = []
  /// Files without a row.
  var orphans: [ContentHash] = []

  var count: Int { broken.count + orphans.count }
  var isEmpty: Bool { broken.isEmpty && orphans.isEmpty }

  /// Takes a part of at most `partSize` out.
  mutating func takePart() -> Self {
    let some = broken.suffix(Self.partSize)
    broken.removeLast(some.count)
    let others = orphans.suffix(Self.partSize - some.count)
    orphans.removeLast(others.count)
    return Self(broken: Array(some), orphans: Array(others))
  }

  /// Adds those of another folder.
  mutating func add(_ other: Self) {
    broken += other.broken
    orphans += other.orphans
  }
}
