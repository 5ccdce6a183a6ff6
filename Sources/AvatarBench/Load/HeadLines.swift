import CLinux
import Glibc

/// The header fields of an answer, looked at where they lie.
enum HeadLines {
  /// Calls `visit` with the name and the value (without blanks before it) of each field after the first line.
  static func each(
    _ head: UnsafeRawBufferPointer, _ visit: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void
  ) {
    guard let base = head.baseAddress else { return }
    var start = 0
    var isFirst = true
    while start < head.count, let found = memchr(base + start, 10, head.count - start) {
      let end = UnsafeRawPointer(found) - base
      if !isFirst, let colon = memchr(base + start, 58, end - start) {
        let name = UnsafeRawPointer(colon) - base
        var value = name + 1
        while value < end, head[value] == 32 { value += 1 }
        let last = end > value && head[end - 1] == 13 ? end - 1 : end
        visit(
          UnsafeRawBufferPointer(rebasing: head[start..<name]),
          UnsafeRawBufferPointer(rebasing: head[value..<max(value, last)]))
      }
      isFirst = false
      start = end + 1
    }
  }

  /// Whether `bytes` are `text` but for the case of letters; `text` is in small letters.
  static func matches(_ bytes: UnsafeRawBufferPointer, _ text: StaticString) -> Bool {
    guard let base = bytes.baseAddress, bytes.count == text.utf8CodeUnitCount else { return false }
    return strncasecmp(base.assumingMemoryBound(to: CChar.self), text.cString, bytes.count) == 0
  }

  /// Whether `bytes` end in `text` but for the case of letters.
  static func ends(_ bytes: UnsafeRawBufferPointer, _ text: StaticString) -> Bool {
    bytes.count >= text.utf8CodeUnitCount
      && matches(UnsafeRawBufferPointer(rebasing: bytes.suffix(text.utf8CodeUnitCount)), text)
  }

  /// Whether `bytes` hold `text`.
  static func contains(_ bytes: UnsafeRawBufferPointer, _ text: StaticString) -> Bool {
    guard let base = bytes.baseAddress else { return false }
    return linux_find(base, bytes.count, text.utf8Start, text.utf8CodeUnitCount) != nil
  }

  /// A decimal number of at most 15 digits; nil for anything else.
  static func number(_ bytes: UnsafeRawBufferPointer) -> Int? {
    guard 1...15 ~= bytes.count else { return nil }
    var value = 0
    for byte in bytes {
      guard 48...57 ~= byte else { return nil }
      value = value * 10 + Int(byte) - 48
    }
    return value
  }
}

extension StaticString {
  fileprivate var cString: UnsafePointer<CChar> {
    UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
  }
}
