/// A picture made by a formula and written as PNG without compression: enough for a sample, and no codec in the server.
enum DemoPNG {
  /// An evening sky over the sea, `side` pixels square.
  static func sunset(side: Int) -> [UInt8] {
    var rows: [UInt8] = []
    rows.reserveCapacity(side * (side * 3 + 1))
    for y in 0..<side {
      rows.append(0)  // Filter: none.
      for x in 0..<side { rows += pixel(Double(x) / Double(side), Double(y) / Double(side)) }
    }
    var png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    png += chunk("IHDR", bigEndian(UInt32(side)) + bigEndian(UInt32(side)) + [8, 2, 0, 0, 0])
    png += chunk("IDAT", stored(rows))
    png += chunk("IEND", [])
    return png
  }

  private static func pixel(_ x: Double, _ y: Double) -> [UInt8] {
    let distance = ((x - 0.5) * (x - 0.5) + (y - 0.55) * (y - 0.55)).squareRoot()
    if distance < 0.14, y < 0.62 { return [255, 236, 170] }
    if y > 0.62 {
      let shine = max(0, 1 - abs(x - 0.5) * 6) * (1 - (y - 0.62) * 2)
      return [UInt8(40 + 180 * shine), UInt8(50 + 100 * shine), UInt8(90 + 20 * shine)]
    }
    let height = y / 0.62
    return [UInt8(60 + 190 * height), UInt8(50 + 90 * height), UInt8(120 - 40 * height)]
  }

  /// A zlib stream of stored blocks (RFC 1950, RFC 1951 section 3.2.4).
  private static func stored(_ bytes: [UInt8]) -> [UInt8] {
    var stream: [UInt8] = [0x78, 0x01]
    var start = 0
    while start < bytes.count {
      let end = min(start + 65535, bytes.count)
      let count = UInt16(end - start)
      stream.append(end == bytes.count ? 1 : 0)
      stream += [UInt8(count & 255), UInt8(count >> 8), UInt8(~count & 255), UInt8(~count >> 8)]
      stream += bytes[start..<end]
      start = end
    }
    var (a, b): (UInt32, UInt32) = (1, 0)
    for byte in bytes {
      a = (a + UInt32(byte)) % 65521
      b = (b + a) % 65521
    }
    return stream + bigEndian(b << 16 | a)
  }

  private static func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
    let body = Array(type.utf8) + content
    let length: [UInt8] = bigEndian(UInt32(content.count))
    let sum: [UInt8] = bigEndian(checksum(body))
    return length + body + sum
  }

  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    var sum = ~UInt32(0)
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 {
        let isOdd = sum & 1 == 1
        sum >>= 1
        if isOdd { sum ^= 0xEDB8_8320 }
      }
    }
    return ~sum
  }

  private static func bigEndian(_ value: UInt32) -> [UInt8] {
    [UInt8(value >> 24), UInt8(value >> 16 & 255), UInt8(value >> 8 & 255), UInt8(value & 255)]
  }
}
