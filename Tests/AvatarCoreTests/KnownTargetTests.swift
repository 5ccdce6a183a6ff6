import AvatarCore
import Testing

@Suite struct KnownTargetTests {
  /// Around the length that fits into the object itself.
  @Test(arguments: [1, 74, 191, 192, 193, 5000])
  func `a target of any length is recognized byte for byte`(length: Int) {
    let target = (0..<length).map { UInt8($0 % 251) }
    let known = KnownTarget(target: target)
    func isSame(_ other: [UInt8]) -> Bool { other.withUnsafeBytes(known.isSame) }
    #expect(known.count == length && known.withUnsafeBytes { $0.elementsEqual(target) })
    #expect(isSame(target))
    #expect(!isSame(target + [0]))
    for index in Set([0, length / 2, length - 1]) {
      var other = target
      other[index] ^= 1
      #expect(!isSame(other), "byte \(index)")
      #expect(!isSame(Array(target[..<index])))
    }
  }

  @Test(arguments: [("/a", "/a", nil), ("/a?", "/a", ""), ("/a?b?c", "/a", "b?c"), ("?", "", "")])
  func `path and query are parted at the first question mark`(target: String, path: String, query: String?) {
    let known = KnownTarget(target: Array(target.utf8))
    #expect(known.path == path && known.query == query)
  }
}
