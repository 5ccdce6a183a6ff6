import AvatarCore
import Testing

@Suite("Base64 for URLs")
struct Base64URLTests {
  /// RFC 4648 section 10, without the padding, and the two letters of the URL alphabet.
  @Test(arguments: [
    Pair("", ""), Pair("f", "Zg"), Pair("fo", "Zm8"), Pair("foo", "Zm9v"), Pair("foob", "Zm9vYg"),
    Pair("fooba", "Zm9vYmE"),
    Pair("foobar", "Zm9vYmFy"), Pair("~~~???", "fn5-Pz8_"),
  ])
  func `text goes there and back`(_ pair: Pair) {
    #expect(Base64URL.encode(Array(pair.input.utf8)) == pair.due)
    #expect(Base64URL.decode(pair.due) == Array(pair.input.utf8))
  }

  @Test(arguments: [
    "Z", "Zm9vY", "Zg==", "Zm8=", "=", "Zm9v\n", " Zm9v", "Zm 9v", "Zm+v", "Zm/v", "Zh", "Zm9", "Zm9vYh", "!!!", "ｚg",
    "Zg\0", "Zm9v.",
  ])
  func `padding, other letters, impossible lengths and leftover bits are refused`(_ text: String) {
    #expect(Base64URL.decode(text) == nil)
  }

  @Test func `every byte string has exactly one text`() throws {
    var random = SeededRandom(seed: 7)
    for count in 0..<200 {
      let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      let text = Base64URL.encode(bytes)
      try #require(Base64URL.decode(text) == bytes, "seed 7: \(bytes)")
      try #require(text.utf8.count == (count * 4 + 2) / 3)
    }
  }
}
