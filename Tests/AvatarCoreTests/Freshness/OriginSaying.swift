import AvatarCore
import AvatarNames

/// An origin's answer with the given fields, for tests of the rules.
enum Origin {
  /// Sun, 06 Nov 1994 08:49:37 GMT.
  static let now = UnixTime(seconds: 784_111_777)

  static func saying(
    _ fields: [(String, String)], status: Int = 200, at receivedAt: UnixTime = now, delay: Duration = .zero
  ) throws -> OriginResponse {
    OriginResponse(
      status: status, headers: fields.map { HeaderField($0.0, $0.1) }, source: SourceBytes(status == 304 ? [] : [0xFF]),
      finalURL: try SourceURL(parsing: "https://origin.example/a.png", names: IDN2Names()), redirects: 0,
      requestedAt: receivedAt + (.zero - delay), receivedAt: receivedAt, elapsed: max(.zero, delay))
  }

  /// An HTTP date so many seconds from `now`.
  static func date(_ offset: Int64) -> String { HTTPDate.format(UnixTime(seconds: now.seconds + offset)) }
}

/// SplitMix64: a small seeded generator, so that a failing history can be run again.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed }
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
