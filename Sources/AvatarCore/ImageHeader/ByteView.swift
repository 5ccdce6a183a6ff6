/// Bytes of an image that are read at offsets: what lies outside reads as nil, never as a trap.
struct ByteView {
  /// The whole source.
  let bytes: [UInt8]

  var count: Int { bytes.count }

  func u8(_ offset: Int) -> Int? {
    bytes.indices.contains(offset) ? Int(bytes[offset]) : nil
  }

  /// An unsigned number of `length` (1…4) bytes, most significant first.
  func big(_ offset: Int, _ length: Int) -> Int? {
    guard has(offset, length) else { return nil }
    return bytes[offset..<offset + length].reduce(0) { $0 << 8 | Int($1) }
  }

  /// An unsigned number of `length` (1…4) bytes, least significant first.
  func little(_ offset: Int, _ length: Int) -> Int? {
    guard has(offset, length) else { return nil }
    return bytes[offset..<offset + length].reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  /// Whether the ASCII text stands at `offset`.
  func matches(_ text: StaticString, at offset: Int) -> Bool {
    guard has(offset, text.utf8CodeUnitCount) else { return false }
    return text.withUTF8Buffer { bytes[offset..<offset + $0.count].elementsEqual($0) }
  }

  /// Whether `length` bytes from `offset` are all there.
  func has(_ offset: Int, _ length: Int) -> Bool {
    offset >= 0 && length >= 0 && offset <= bytes.count && length <= bytes.count - offset
  }
}
