public import AvatarCore

/// SHA-256 and HMAC-SHA256 by OpenSSL's libcrypto.
public struct OpenSSLHashing: Hashing {
  /// Costs nothing: the algorithm is looked up once in the process.
  public init() {}

  /// SHA-256 of `bytes` (FIPS 180-4).
  public func sha256(_ bytes: some Collection<UInt8>) -> Digest256 { SHA256Algorithm.shared.digest(bytes) }

  /// HMAC-SHA256 of `message` under `key` of any length (RFC 2104).
  ///
  /// Built on the digest here: libcrypto 3's own one-shot call looks its algorithms up by name each time, which costs a
  /// microsecond, and every signed hit pays for it.
  public func hmacSHA256(key: [UInt8], message: some Collection<UInt8>) -> Digest256 {
    let short = key.count > SHA256Algorithm.blockBytes ? sha256(key).bytes : key
    return SHA256Algorithm.shared.hmac(key: short, message: message)
  }
}
