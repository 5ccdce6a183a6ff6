/// FNV-1a of 64 bits: the same on every machine and in every run, unlike `Hasher`.
public enum StableHash {
  /// The hash of `bytes`.
  @inlinable
  public static func of(_ bytes: some Sequence<UInt8>) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    return hash
  }
}
