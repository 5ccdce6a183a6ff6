import AvatarCore
import AvatarCrypto
import Testing

@Suite("SHA-256 and HMAC-SHA256")
struct HashingTests {
  private let hashing = OpenSSLHashing()

  /// FIPS 180-4's examples (as published with it), and the empty message.
  @Test(arguments: [
    Pair("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    Pair("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    Pair(
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
    Pair(
      String(repeating: "a", count: 1_000_000), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
  ])
  func `known digests`(_ pair: Pair) {
    #expect(hashing.sha256(Array(pair.input.utf8)).hex == pair.due)
    #expect(hashing.sha256(pair.input.utf8).hex == pair.due)
    #expect(hashing.sha256(AnyCollection(Array(pair.input.utf8))).hex == pair.due)
  }

  struct MAC: Sendable, CustomStringConvertible {
    let key: [UInt8]
    let message: [UInt8]
    let due: String
    init(_ key: [UInt8], _ message: [UInt8], _ due: String) {
      self.key = key
      self.message = message
      self.due = due
    }
    var description: String { due }
  }

  /// RFC 4231 sections 4.2 to 4.8 (4.6 is cut to 128 bits there).
  @Test(arguments: [
    MAC(
      Array(repeating: 0x0B, count: 20), Array("Hi There".utf8),
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
    MAC(
      Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
    MAC(
      Array(repeating: 0xAA, count: 20), Array(repeating: 0xDD, count: 50),
      "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
    MAC(
      Array(1...25), Array(repeating: 0xCD, count: 50),
      "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
    MAC(Array(repeating: 0x0C, count: 20), Array("Test With Truncation".utf8), "a3b6167473100ee06e0c796c2955552b"),
    MAC(
      Array(repeating: 0xAA, count: 131), Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
    MAC(
      Array(repeating: 0xAA, count: 131),
      Array(
        "This is a test using a larger than block-size key and a larger than block-size data. The key needs to be hashed before being used by the HMAC algorithm."
          .utf8), "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"),
  ])
  func `known codes`(_ mac: MAC) {
    #expect(hashing.hmacSHA256(key: mac.key, message: mac.message).hex.hasPrefix(mac.due))
  }

  /// Keys around the block size, where padding and hashing of the key meet; made with another implementation.
  @Test(arguments: [
    (0, "eb08c1f56d5ddee07f7bdf80468083da06b64cf4fac64fe3a90883df5feacae4"),
    (1, "a3e27e6b40bc43dcd729bb425ab7ef951931cf6e295d4b552b42d9d5738a3beb"),
    (63, "1e790456a72e90984a55ba51e9a02e8663e33ee74334be97481e7c40f82fb2c2"),
    (64, "67437bb07e3af377548cc5d9cc6cf9a45a0611033cd59e800e8a27fd4ba418fa"),
    (65, "51a150878fcd81ffca19e1efd75865087e60a5f4ab44c204e5012b8d3467fac2"),
  ])
  func `keys around the block size`(_ count: Int, _ due: String) {
    let code = hashing.hmacSHA256(key: Array(repeating: 0x5A, count: count), message: Array("message".utf8))
    #expect(code.hex == due)
  }

  @Test func `equality in constant time is equality`() {
    let cases: [([UInt8], [UInt8], Bool)] = [
      ([], [], true), ([1], [1], true), ([1], [2], false), ([1], [1, 2], false), ([], [0], false),
      ([0, 1], [0, 2], false),
      (Array(0...255), Array(0...255), true),
    ]
    for (left, right, due) in cases { #expect(constantTimeEquals(left, right) == due, "\(left) \(right)") }
  }
}
