import CCrypto

/// Whether the two are equal, in a time that depends on their lengths alone (which are not secret).
public func constantTimeEquals(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
  let left = Array(left)
  let right = Array(right)
  guard left.count == right.count, !left.isEmpty else { return left.count == right.count }
  return CRYPTO_memcmp(left, right, left.count) == 0
}
