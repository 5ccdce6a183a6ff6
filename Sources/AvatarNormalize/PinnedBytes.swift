/// Bytes at an address that does not move, as C keeps the pointer between calls.
final class PinnedBytes {
  /// The first of them, for C alone.
  private let start: UnsafeMutableRawPointer
  /// How many there are.
  let count: Int

  /// A copy of `bytes`.
  init(_ bytes: [UInt8]) {
    count = bytes.count
    start = .allocate(byteCount: max(1, count), alignment: 16)
    bytes.withUnsafeBytes { if let base = $0.baseAddress { start.copyMemory(from: base, byteCount: $0.count) } }
  }

  /// `count` zeros.
  init(count: Int) {
    self.count = count
    start = .allocate(byteCount: max(1, count), alignment: 16)
    start.initializeMemory(as: UInt8.self, repeating: 0, count: count)
  }

  deinit { start.deallocate() }

  /// Lends the bytes to `body`, which may let C keep their address for as long as this object lives.
  func withBytes<Result>(_ body: (UnsafeMutableRawBufferPointer) -> Result) -> Result {
    body(UnsafeMutableRawBufferPointer(start: start, count: count))
  }
}
