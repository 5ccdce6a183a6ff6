import AvatarCore

/// What failed of late, one line for each code and host; a pure, bounded value.
///
/// Newest last. A host that fails again and again takes one place, however often; the line that was quiet for longest makes room.
struct RecentFailures: Sendable {
  /// One code at one host.
  struct Line: Sendable, Equatable {
    var code: AvatarError.Code
    /// The host alone: no path, no query, no port.
    var host: String
    /// The origin's status where one came.
    var originStatus: Int?
    /// How often since `first`.
    var count: Int
    var first: UnixTime
    var last: UnixTime
  }

  private(set) var lines: [Line] = []
  private let capacity: Int

  /// Remembers at most `capacity` lines.
  init(capacity: Int = 64) { self.capacity = capacity }

  /// Notes one failure; walks the lines once.
  mutating func note(_ error: AvatarError, host: String, now: UnixTime) {
    var line = Line(code: error.code, host: host, originStatus: error.originStatus, count: 1, first: now, last: now)
    if let index = lines.firstIndex(where: { $0.code == error.code && $0.host == host }) {
      let known = lines.remove(at: index)
      line.count += known.count
      line.first = known.first
      line.originStatus = error.originStatus ?? known.originStatus
    } else if lines.count >= capacity {
      lines.removeFirst()
    }
    lines.append(line)
  }
}
