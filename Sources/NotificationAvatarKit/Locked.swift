import Foundation

/// A value that one thread at a time reads or changes.
///
/// `@unchecked Sendable`: `value` is touched within `withLock` only, under `lock`. Nobody keeps a reference into it past that; the one
/// kind of object handed out of it is a notification's content, which is a copy that nobody changes any more.
final class Locked<Value>: @unchecked Sendable {
  private let lock = NSLock()
  private var value: Value

  init(_ value: Value) { self.value = value }

  /// Runs `body` alone. It must not wait for anything, nor call back what a caller handed in.
  func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return body(&value)
  }
}
