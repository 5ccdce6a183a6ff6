import AvatarCore
import Testing

@Suite("SHA-256 values")
struct Digest256Tests {
  @Test func `bytes, words and hex are three views of one value`() throws {
    let bytes = (0..<32).map { UInt8(($0 * 37 + 11) % 256) }
    let digest = try #require(Digest256(bytes: bytes))
    #expect(digest.bytes == bytes)
    #expect(digest.words.0 == 0x0B30_557A_9FC4_E90E)
    #expect(digest.words.3 == 0x83A8_CDF2_173C_6186)
    #expect(digest.hex == "0b30557a9fc4e90e33587da2c7ec11365b80a5caef14395e83a8cdf2173c6186")
    #expect(Digest256(hex: digest.hex) == digest)
    #expect(Digest256(bytes: AnyCollection(bytes)) == digest)
  }

  @Test(arguments: [0, 1, 31, 33, 64])
  func `other lengths are refused`(_ count: Int) {
    #expect(Digest256(bytes: [UInt8](repeating: 0, count: count)) == nil)
    #expect(Digest256(hex: String(repeating: "0", count: 2 * count)) == nil)
    #expect(Digest256(hex: String(repeating: "0", count: 2 * count + 1)) == nil)
  }

  @Test(arguments: ["A", "g", "G", " ", "/", ":", "`", "\0"])
  func `a letter that is not a hexadecimal digit in lower case is refused`(_ letter: String) {
    #expect(Digest256(hex: String(repeating: "0", count: 63) + letter) == nil)
    #expect(Digest256(hex: letter + String(repeating: "0", count: 63)) == nil)
  }
}
