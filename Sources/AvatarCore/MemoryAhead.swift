import CMemory

/// An object that is about to be used, asked for ahead.
///
/// Objects that lead from one to the next are waited for one after another, some 0.3 µs each where they are in no cache. Whoever knows the later ones
/// from before asks for all of them at once. It keeps nothing alive: asking for what is no more does no harm.
public struct MemoryAhead: @unchecked Sendable {  // An address that is never read.
  private let place: UnsafeRawPointer
  private let bytes: Int

  /// The first `bytes` of `object`, its header included.
  public init(_ object: AnyObject, bytes: Int) {
    place = UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
    self.bytes = bytes
  }

  /// Asks for it, and does not wait.
  public func fetch() {
    memory_expect_change(place)
    memory_expect(place, bytes)
  }
}
