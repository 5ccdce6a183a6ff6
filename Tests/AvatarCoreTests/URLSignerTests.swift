import AvatarCore
import AvatarCrypto
import Testing

@Suite("Signed URLs")
struct URLSignerTests {
  private static let key = Array("0123456789abcdef".utf8)
  private static let segment = "aHR0cDovL2V4YW1wbGUuY29tL2EucG5n"
  private let signer = URLSigner(keys: [Self.key], hashing: OpenSSLHashing())

  /// Made with another implementation: the first 16 bytes of HMAC-SHA256("0123456789abcdef", "/aHR0…bmc.jpg").
  @Test func `a signature is the contract's`() {
    #expect(signer.signature(of: Self.segment) == "fXaZEjmicmYo0x2AogiNxA")
    #expect(signer.verifies(signer.signature(of: Self.segment), of: Self.segment))
  }

  @Test func `the first key signs and all verify, so that keys can be rotated`() {
    let next = Array("fedcba9876543210".utf8)
    let rotating = URLSigner(keys: [next, Self.key], hashing: OpenSSLHashing())
    let old = signer.signature(of: Self.segment)
    let new = rotating.signature(of: Self.segment)
    #expect(new == URLSigner(keys: [next], hashing: OpenSSLHashing()).signature(of: Self.segment))
    #expect(old != new)
    #expect(rotating.verifies(old, of: Self.segment))
    #expect(rotating.verifies(new, of: Self.segment))
    #expect(!signer.verifies(new, of: Self.segment))
  }

  @Test func `any other signature, segment or spelling is refused`() {
    let good = signer.signature(of: Self.segment)
    for index in good.indices {
      let other = good[index] == "A" ? "B" : "A"
      let bad = good.replacing(at: index, with: other)
      #expect(!signer.verifies(bad, of: Self.segment), "\(bad)")
    }
    for bad in [
      "", "AAAA", "unsigned", good + "A", good + "=", String(good.dropLast()), good.uppercased() + "!", "!" + good,
    ] {
      #expect(!signer.verifies(bad, of: Self.segment), "\(bad)")
    }
    #expect(!signer.verifies(good, of: Self.segment + "A"))
    #expect(!signer.verifies(good, of: ""))
  }

  @Test func `without a key nothing verifies`() {
    let empty = URLSigner(keys: [], hashing: OpenSSLHashing())
    #expect(empty.isEmpty)
    #expect(!signer.isEmpty)
    #expect(!empty.verifies(signer.signature(of: Self.segment), of: Self.segment))
    #expect(!empty.verifies("AAAAAAAAAAAAAAAAAAAAAA", of: Self.segment))
  }
}

extension String {
  fileprivate func replacing(at index: Index, with letter: String) -> String {
    String(self[..<index]) + letter + String(self[self.index(after: index)...])
  }
}
