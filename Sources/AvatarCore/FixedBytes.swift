/// Immutable bytes at a fixed place in memory: shared by whoever holds them, and sent by C libraries without a copy.
///
/// `@unchecked Sendable`: written in `init` only.
public final class FixedBytes: @unchecked Sendable {
  private let buffer: UnsafeMutableRawBufferPointer
  /// How many.
  public let count: Int

  /// A copy of `bytes`.
  public init(_ bytes: [UInt8]) {
    // One byte at least: C libraries take no null pointer, and an empty buffer may have one.
    buffer = .allocate(byteCount: max(1, bytes.count), alignment: 1)
    buffer.copyBytes(from: bytes)
    count = bytes.count
  }

  /// What `fill` writes into room for `capacity` bytes; it returns how many those are.
  public init(capacity: Int, fill: (UnsafeMutableRawBufferPointer) -> Int) {
    buffer = .allocate(byteCount: max(1, capacity), alignment: 1)
    count = fill(UnsafeMutableRawBufferPointer(rebasing: buffer[..<capacity]))
    precondition((0...capacity).contains(count), "bytes within their room")
  }

  deinit { buffer.deallocate() }

  /// The bytes as an array of their own.
  public var bytes: [UInt8] { Array(buffer[..<count]) }

  /// Lends the bytes. The place stays valid for as long as this object is retained, after `body` too.
  public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
  }
}
