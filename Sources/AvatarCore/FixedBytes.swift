/// Immutable bytes at a fixed place in memory: shared by whoever holds them, and sent by C libraries without a copy.
///
/// `@unchecked Sendable`: the storage is written in `init` only.
public struct FixedBytes: @unchecked Sendable {
  /// The count and the bytes in one piece of memory.
  private final class Storage: ManagedBuffer<Int, UInt8> {
    static func make(capacity: Int, fill: (UnsafeMutableRawBufferPointer) -> Int) -> Storage {
      // One byte at least: C libraries take no null pointer.
      let made = create(minimumCapacity: max(1, capacity)) { _ in 0 }
      let storage = unsafeDowncast(made, to: Storage.self)
      storage.withUnsafeMutablePointers { count, bytes in
        count.pointee = fill(UnsafeMutableRawBufferPointer(start: bytes, count: capacity))
        precondition((0...capacity).contains(count.pointee), "bytes within their room")
      }
      return storage
    }
  }
  private let storage: Storage

  /// A copy of `bytes`.
  public init(_ bytes: [UInt8]) {
    storage = .make(capacity: bytes.count) {
      $0.copyBytes(from: bytes)
      return bytes.count
    }
  }

  /// What `fill` writes into room for `capacity` bytes; it returns how many those are.
  public init(capacity: Int, fill: (UnsafeMutableRawBufferPointer) -> Int) {
    storage = .make(capacity: capacity, fill: fill)
  }

  /// How many.
  public var count: Int { storage.header }

  /// The bytes as an array of their own.
  public var bytes: [UInt8] { withUnsafeBytes { Array($0) } }

  /// What keeps the bytes in their place.
  public var owner: AnyObject { storage }

  /// Lends the bytes. The place stays valid for as long as `owner` is retained, after `body` too.
  public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try storage.withUnsafeMutablePointers { try body(UnsafeRawBufferPointer(start: $1, count: $0.pointee)) }
  }
}
