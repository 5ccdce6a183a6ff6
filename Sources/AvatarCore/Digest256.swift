/// A SHA-256 value, 32 bytes, held in four words so that hashing and comparing are cheap.
public struct Digest256: Hashable, Sendable {
  /// The digest's bytes 0–7, 8–15, 16–23 and 24–31, each read big-endian.
  public let words: (UInt64, UInt64, UInt64, UInt64)

  /// Takes exactly 32 bytes; nil otherwise.
  public init?(bytes: some Collection<UInt8>) {
    // Byte by byte through a generic collection costs more than the hash itself: words are read where they lie together.
    let words =
      bytes.withContiguousStorageIfAvailable(Self.words(in:)) ?? Array(bytes).withUnsafeBufferPointer(Self.words(in:))
    guard let words else { return nil }
    self.words = words
  }

  private static func words(in bytes: UnsafeBufferPointer<UInt8>) -> (UInt64, UInt64, UInt64, UInt64)? {
    guard bytes.count == 32 else { return nil }
    let raw = UnsafeRawBufferPointer(bytes)
    func word(_ index: Int) -> UInt64 {
      UInt64(bigEndian: raw.loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self))
    }
    return (word(0), word(1), word(2), word(3))
  }

  /// Takes exactly 64 hexadecimal digits in lower case; nil otherwise.
  public init?(hex: some StringProtocol) {
    guard hex.utf8.count == 64 else { return nil }
    var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    for digit in hex.utf8 {
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): Self.shift(UInt64(digit - UInt8(ascii: "0")), 4, into: &words)
      case UInt8(ascii: "a")...UInt8(ascii: "f"): Self.shift(UInt64(digit - UInt8(ascii: "a")) + 10, 4, into: &words)
      default: return nil
      }
    }
    self.words = words
  }

  /// The 32 bytes in order.
  public var bytes: [UInt8] {
    Array(unsafeUninitializedCapacity: 32) { output, count in
      for index in 0..<32 { output[index] = byte(index) }
      count = 32
    }
  }

  /// 64 hexadecimal digits, lower case.
  public var hex: String {
    String(unsafeUninitializedCapacity: 64) { output in
      func digit(_ value: UInt8) -> UInt8 { value + (value < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10) }
      for index in 0..<32 {
        output[2 * index] = digit(byte(index) >> 4)
        output[2 * index + 1] = digit(byte(index) & 15)
      }
      return 64
    }
  }

  private func byte(_ index: Int) -> UInt8 {
    let word =
      switch index / 8 {
      case 0: words.0
      case 1: words.1
      case 2: words.2
      default: words.3
      }
    return UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * (index % 8)))
  }

  /// Moves all 256 bits up by `bits` and puts `value` into the lowest ones.
  private static func shift(_ value: UInt64, _ bits: UInt64, into words: inout (UInt64, UInt64, UInt64, UInt64)) {
    words.0 = words.0 << bits | words.1 >> (64 - bits)
    words.1 = words.1 << bits | words.2 >> (64 - bits)
    words.2 = words.2 << bits | words.3 >> (64 - bits)
    words.3 = words.3 << bits | value
  }

  /// Equal when all 32 bytes are.
  public static func == (left: Self, right: Self) -> Bool { left.words == right.words }

  /// Feeds the first word only: a SHA-256 is already well mixed.
  public func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}

/// The identity of an avatar: SHA-256 of its canonical source URL (less the identity rules' parameters) and recipe.
public struct CacheKey: Hashable, Sendable, CustomStringConvertible {
  /// The SHA-256 itself.
  public let digest: Digest256
  /// Wraps a digest.
  public init(_ digest: Digest256) { self.digest = digest }
  /// 64 hexadecimal digits.
  public var description: String { digest.hex }
}

/// The identity of bytes: SHA-256 of a finished JPEG; its hex is the object's file name, URL and ETag.
public struct ContentHash: Hashable, Sendable, CustomStringConvertible {
  /// The SHA-256 itself.
  public let digest: Digest256
  /// Wraps a digest.
  public init(_ digest: Digest256) { self.digest = digest }
  /// 64 hexadecimal digits.
  public var description: String { digest.hex }
}

/// SHA-256 and HMAC-SHA256: the core's rules need them, a C library has them. `AvatarCrypto` is the one adapter.
public protocol Hashing: Sendable {
  /// SHA-256 of `bytes`.
  func sha256(_ bytes: some Collection<UInt8>) -> Digest256
  /// HMAC-SHA256 of `message` under `key`.
  func hmacSHA256(key: [UInt8], message: some Collection<UInt8>) -> Digest256
}
