import AvatarCore

/// The fields of a 200 or 304 as `MHDResponse` has the library send them, from behind its `Date` to the empty line, with up to two
/// places where seconds are counted down.
///
/// It stands where its owner stands: one piece of memory less to wait for.
struct FieldBlock: Sendable {
  /// The largest text there is room for: half as much again as an avatar's is long.
  static let room = 512
  private let bytes: InlineArray<512, UInt8>
  private let count: Int
  /// Where the seconds go, in order; the end where there are none.
  private let first: Int
  private let second: Int
  private let countsDownTo: Int64

  /// Nil for what only the library can send, and where a field cannot be sent at all or there are too many.
  init?(_ reply: HTTPReply) {
    guard reply.status == 200 || reply.status == 304, let length = MHDResponse.length(of: reply) else { return nil }
    var text: [UInt8] = []
    text.reserveCapacity(Self.room)
    var marks: [Int] = []
    for field in reply.headers where !MHDResponse.isOurs(field.name) {
      guard !field.name.isEmpty, !field.value.isEmpty else { return nil }
      for byte in field.name.utf8 {
        guard RequestFraming.nameBytes.contains(byte) else { return nil }
        text.append(byte)
      }
      text += [UInt8(ascii: ":"), 0x20]
      for byte in field.value.utf8 {
        switch byte {
        case 0x0D, 0x0A: return nil
        case 0: marks.append(text.count)
        default: text.append(byte)
        }
      }
      text += [0x0D, 0x0A]
    }
    text += "Content-Length: \(length)\r\n\r\n".utf8
    guard text.count <= Self.room, marks.count <= 2, marks.isEmpty || reply.countsDownTo != nil else { return nil }
    bytes = InlineArray { $0 < text.count ? text[$0] : 0 }
    count = text.count
    first = marks.first ?? text.count
    second = marks.dropFirst().first ?? text.count
    countsDownTo = reply.countsDownTo?.milliseconds ?? 0
  }

  /// The most bytes that it takes.
  var longest: Int { count + 2 * Self.mostDigits }
  private static let mostDigits = 19

  /// Writes it as it is at `now`, milliseconds since 1970, and moves `end` behind it. There must be room for `longest` bytes.
  @inline(__always)
  func write(into buffer: UnsafeMutableRawBufferPointer, at end: inout Int, now: Int64) {
    bytes.span.withUnsafeBytes { room in
      let text = UnsafeRawBufferPointer(rebasing: room[..<count])
      buffer.append(UnsafeRawBufferPointer(rebasing: text[..<first]), at: &end)
      guard first < count else { return }
      let seconds = UInt64(max(0, countsDownTo - now) / 1000)
      buffer.append(decimal: seconds, at: &end)
      buffer.append(UnsafeRawBufferPointer(rebasing: text[first..<second]), at: &end)
      guard second < count else { return }
      buffer.append(decimal: seconds, at: &end)
      buffer.append(UnsafeRawBufferPointer(rebasing: text[second...]), at: &end)
    }
  }
}

extension UnsafeMutableRawBufferPointer {
  /// Copies bytes to `end` and moves it behind them.
  @inline(__always)
  func append(_ bytes: UnsafeRawBufferPointer, at end: inout Int) {
    UnsafeMutableRawBufferPointer(rebasing: self[end...]).copyMemory(from: bytes)
    end += bytes.count
  }

  /// Writes a number in decimal at `end` and moves it behind that.
  func append(decimal number: UInt64, at end: inout Int) {
    let start = end
    var rest = number
    repeat {
      self[end] = UInt8(ascii: "0") + UInt8(rest % 10)
      rest /= 10
      end += 1
    } while rest > 0
    self[start..<end].reverse()
  }
}
