import Glibc

/// An origin's bytes as they come: gathered by one thread, then read by whoever they are handed to.
///
/// From 1 MiB on they have a mapping of their own in large pages, if the kernel has some at hand: in small ones a photo costs a page fault for each
/// 4 KiB, which takes longer than to receive them. It goes back to the kernel with the last who holds it.
/// `@unchecked Sendable`: changed by the one that made it only, and not after it has handed it on.
public final class SourceBytes: @unchecked Sendable {
  /// Rooms from so many bytes on are mappings. To clear a large page takes as long as some sixty faults.
  static let smallestMapping = 1 << 20
  /// So many bytes have to come before room for many more is made: whoever only announces them shall cost no large page.
  static let earnest = 64 << 10
  private static let largePage = 2 << 20

  private var room = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  private var isMapping = false
  /// How many there are.
  public private(set) var count = 0

  private let announced: Int

  /// None yet, but `capacity` are said to come. Room for more than 1 MiB is made once some have; what is not filled costs address space, of memory
  /// at most one large page.
  public init(capacity: Int = 0) {
    announced = capacity
    move(toRoomFor: capacity >= Self.smallestMapping ? Self.earnest : capacity)
  }

  /// A copy of `bytes`.
  public convenience init(_ bytes: [UInt8]) {
    self.init(capacity: bytes.count)
    bytes.withUnsafeBytes { append($0) }
  }

  deinit { Self.free(room, isMapping) }

  /// Whether there are none.
  public var isEmpty: Bool { count == 0 }

  /// The bytes as an array of their own.
  public var bytes: [UInt8] { withUnsafeBytes { Array($0) } }

  /// Adds bytes at the end. Only for the one that made it.
  public func append(_ more: UnsafeRawBufferPointer) {
    guard !more.isEmpty else { return }
    if more.count > room.count - count { move(toRoomFor: max(count + more.count, room.count * 2, announced)) }
    UnsafeMutableRawBufferPointer(rebasing: room[count...]).copyMemory(from: more)
    count += more.count
  }

  /// Lends the bytes.
  public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try body(UnsafeRawBufferPointer(rebasing: room[..<count]))
  }

  private func move(toRoomFor capacity: Int) {
    guard capacity > 0 else { return }
    let old = (room, isMapping)
    if capacity >= Self.smallestMapping, let mapping = Self.map(capacity) {
      (room, isMapping) = (mapping, true)
    } else {
      (room, isMapping) = (.allocate(byteCount: capacity, alignment: 16), false)
    }
    room.copyMemory(from: UnsafeRawBufferPointer(rebasing: old.0[..<count]))
    Self.free(old.0, old.1)
  }

  /// Of whole large pages: only then the kernel puts it where they can lie. Nil where the address space is full.
  private static func map(_ capacity: Int) -> UnsafeMutableRawBufferPointer? {
    let length = (capacity + largePage - 1) / largePage * largePage
    guard let start = mmap(nil, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), start != MAP_FAILED
    else { return nil }
    // Refused by a kernel that has none: then small ones have to do.
    _ = madvise(start, length, MADV_HUGEPAGE)
    return UnsafeMutableRawBufferPointer(start: start, count: length)
  }

  private static func free(_ room: UnsafeMutableRawBufferPointer, _ isMapping: Bool) {
    if isMapping { munmap(room.baseAddress, room.count) } else { room.deallocate() }
  }
}
