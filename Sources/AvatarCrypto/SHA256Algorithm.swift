import AvatarCore
import CCrypto

/// Owns libcrypto's handle for SHA-256, fetched once for the process.
///
/// `@unchecked Sendable`: the pointer is set in `init` and only read after it, and libcrypto counts references to it with
/// atomics; any number of threads may digest with one.
final class SHA256Algorithm: @unchecked Sendable {
  static let shared = SHA256Algorithm()
  static let blockBytes = 64
  static let digestBytes = 32

  private let algorithm: OpaquePointer

  private init() {
    guard let algorithm = EVP_MD_fetch(nil, "SHA256", nil) else {
      preconditionFailure("libcrypto has no SHA-256: its configuration or installation is broken")
    }
    self.algorithm = algorithm
  }

  deinit { EVP_MD_free(algorithm) }

  /// The digest of `bytes`.
  func digest(_ bytes: some Collection<UInt8>) -> Digest256 {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.digestBytes) { output in
      bytes.withContiguousStorageIfAvailable { write($0, to: output) }
        ?? Array(bytes).withUnsafeBufferPointer { write($0, to: output) }
      return value(of: output)
    }
  }

  /// HMAC (RFC 2104) of `message` under a key of at most one block.
  func hmac(key: [UInt8], message: some Collection<UInt8>) -> Digest256 {
    precondition(key.count <= Self.blockBytes)
    // One buffer holds `key ^ ipad` and the message, then `key ^ opad` and the inner digest.
    let capacity = Self.blockBytes + max(message.count, Self.digestBytes)
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: capacity + Self.digestBytes) { buffer in
      let output = UnsafeMutableBufferPointer(rebasing: buffer[capacity...])
      let body = UnsafeMutableBufferPointer(rebasing: buffer[Self.blockBytes...])
      pad(buffer, key: key, with: 0x36)
      _ = body.update(fromContentsOf: message)
      write(UnsafeBufferPointer(rebasing: buffer[..<(Self.blockBytes + message.count)]), to: output)
      pad(buffer, key: key, with: 0x5C)
      _ = body.update(fromContentsOf: output)
      write(UnsafeBufferPointer(rebasing: buffer[..<(Self.blockBytes + Self.digestBytes)]), to: output)
      return value(of: output)
    }
  }

  private func pad(_ block: UnsafeMutableBufferPointer<UInt8>, key: [UInt8], with byte: UInt8) {
    for index in 0..<Self.blockBytes { block[index] = byte }
    for index in key.indices { block[index] ^= key[index] }
  }

  private func write(_ bytes: UnsafeBufferPointer<UInt8>, to output: UnsafeMutableBufferPointer<UInt8>) {
    let done = EVP_Digest(bytes.baseAddress, bytes.count, output.baseAddress, nil, algorithm, nil)
    precondition(done == 1, "libcrypto cannot digest: out of memory")
  }

  private func value(of output: UnsafeMutableBufferPointer<UInt8>) -> Digest256 {
    let bytes = UnsafeBufferPointer(rebasing: output[..<Self.digestBytes])
    guard let digest = Digest256(bytes: bytes) else { preconditionFailure("not 32 bytes") }
    return digest
  }
}
