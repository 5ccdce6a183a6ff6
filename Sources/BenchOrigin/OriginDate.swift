internal import AvatarCore
internal import Glibc

/// Dates as HTTP writes them (RFC 9110, 5.6.7), in seconds since 1970.
struct OriginDate {
  /// What `Last-Modified` says before anything has changed.
  static let beginning = 1_700_000_000

  private var second = 0
  private var text: [UInt8] = []

  /// The present one, made anew once a second.
  mutating func now() -> [UInt8] {
    let second = time(nil)
    if second != self.second { (self.second, text) = (second, Self.text(of: second)) }
    return text
  }

  static func text(of second: Int) -> [UInt8] { Array(HTTPDate.format(UnixTime(seconds: Int64(second))).utf8) }

  /// Nil for what is no date.
  static func second(of text: some Collection<UInt8>) -> Int? {
    HTTPDate.parse(String(decoding: text, as: UTF8.self), now: UnixTime(seconds: Int64(time(nil)))).map {
      Int($0.seconds)
    }
  }
}
