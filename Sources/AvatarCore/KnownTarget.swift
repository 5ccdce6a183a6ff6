import Glibc

/// A request target that was read, checked and answered before, so that it need not be read again. The base class of a handler's own.
open class KnownTarget: @unchecked Sendable {  // Immutable after init, or locked, in every subclass.
  /// Most targets stand in the object itself: one piece of memory less to wait for.
  private let near: InlineArray<192, UInt8>
  private let far: [UInt8]
  /// The target's length in bytes.
  public let count: Int

  /// The target in origin form, query included, byte for byte as it came. For subclasses.
  public init(target: [UInt8]) {
    count = target.count
    var near = InlineArray<192, UInt8>(repeating: 0)
    if target.count <= near.count {
      for index in target.indices { near[index] = target[index] }
    }
    far = target.count <= near.count ? [] : target
    self.near = near
  }

  /// Whether it is exactly these bytes.
  public final func isSame(as target: UnsafeRawBufferPointer) -> Bool {
    guard target.count == count, let asked = target.baseAddress else { return false }
    return withUnsafeBytes { known in known.baseAddress.map { memcmp($0, asked, count) == 0 } ?? false }
  }

  /// Lends the target's bytes.
  public final func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    guard far.isEmpty else { return far.withUnsafeBytes(body) }
    return near.span.extracting(first: count).withUnsafeBytes(body)
  }

  /// The target up to its first `?`.
  public final var path: String { withUnsafeBytes { String(decoding: $0.prefix { $0 != Self.mark }, as: UTF8.self) } }
  /// What follows the first `?`; nil without one.
  public final var query: String? {
    withUnsafeBytes { bytes in
      bytes.firstIndex(of: Self.mark).map { String(decoding: bytes[($0 + 1)...], as: UTF8.self) }
    }
  }
  private static let mark = UInt8(ascii: "?")
}
