/// Signs avatar URLs and verifies their signatures. (Contract, section 4.)
///
/// A signature is the unpadded base64url of the first 16 bytes of HMAC-SHA256(key, `"/{segment}.jpg"`): 22 characters.
public struct URLSigner: Sendable {
  private let keys: [[UInt8]]
  private let hashing: any Hashing

  /// The first key signs, all verify; no key makes a signer that verifies nothing.
  public init(keys: [[UInt8]], hashing: any Hashing) {
    self.keys = keys
    self.hashing = hashing
  }

  /// Whether there is no key.
  public var isEmpty: Bool { keys.isEmpty }

  /// The signature of `segment` under the first key. Only for a signer with a key: without one there is nothing to hand out.
  public func signature(of segment: String) -> String {
    precondition(!keys.isEmpty, "signing without a key")
    return Base64URL.encode(hashing.hmacSHA256(key: keys[0], message: Self.message(segment)).bytes.prefix(16))
  }

  /// Whether `signature` is that of `segment` under any key. Takes as long whatever the signature is: every key is tried,
  /// and two words are compared without a branch.
  public func verifies(_ signature: some StringProtocol, of segment: some StringProtocol) -> Bool {
    guard signature.utf8.count == 22, let given = Base64URL.decode(signature), given.count == 16 else { return false }
    let first = Self.word(given[..<8])
    let second = Self.word(given[8...])
    let message = Self.message(segment)
    var matches = 0
    for key in keys {
      let words = hashing.hmacSHA256(key: key, message: message).words
      let difference = (words.0 ^ first) | (words.1 ^ second)
      matches |= difference == 0 ? 1 : 0
    }
    return matches != 0
  }

  private static func message(_ segment: some StringProtocol) -> [UInt8] {
    var message: [UInt8] = []
    message.reserveCapacity(segment.utf8.count + 5)
    message.append(UInt8(ascii: "/"))
    message.append(contentsOf: segment.utf8)
    message.append(contentsOf: ".jpg".utf8)
    return message
  }

  private static func word(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}
