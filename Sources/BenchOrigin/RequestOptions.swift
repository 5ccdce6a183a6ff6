internal import AvatarCore

/// What a request, or a group's behaviour, asks of an answer.
struct RequestOptions: Equatable {
  /// Passes before the head is sent.
  var delay: Duration?
  /// 200…599; anything but 200 has no body.
  var status: Int?
  /// Bytes of the body a second.
  var rate: Int?
  /// Redirects to come before the answer.
  var redirects: Int?
  /// Seconds of freshness.
  var maxAge: Int?
  var isNotStored = false
  /// No answer, ever.
  var hangs = false
  /// The connection is reset instead of an answer.
  var resets = false
  /// The connection ends in the middle of the body.
  var closesEarly = false
  var isChunked = false

  /// Those of a group and of a request to it: both, and the group's where they differ; but a redirected request goes on with
  /// the hops that it has left.
  func overridden(by group: RequestOptions) -> RequestOptions {
    var both = self
    both.delay = group.delay ?? delay
    both.status = group.status ?? status
    both.rate = group.rate ?? rate
    both.redirects = redirects ?? group.redirects
    both.maxAge = group.maxAge ?? maxAge
    both.isNotStored = isNotStored || group.isNotStored
    both.hangs = hangs || group.hangs
    both.resets = resets || group.resets
    both.closesEarly = closesEarly || group.closesEarly
    both.isChunked = isChunked || group.isChunked
    return both
  }
}

extension RequestOptions {
  /// Reads `delay=20ms&status=503`; nil where a part is unknown or out of bounds, so that a slip of the pen shows.
  init?(query: some StringProtocol) {
    self.init()
    for part in query.split(separator: "&") {
      let pair = part.split(separator: "=", maxSplits: 1)
      guard let name = pair.first else { return nil }
      guard take(String(name), pair.count == 2 ? String(pair[1]) : nil) else { return nil }
    }
  }

  private mutating func take(_ name: String, _ value: String?) -> Bool {
    switch (name, value) {
    case ("delay", let value?):
      delay = DurationText.parse(value)
      return delay.map { $0 >= .zero && $0 <= .seconds(3600) } ?? false
    case ("status", let value?):
      status = Self.number(value, within: 200...599)
      return status != nil
    case ("rate", let value?):
      rate = ByteCountText.parse(value)
      return rate.map { $0 > 0 && $0 <= 1 << 30 } ?? false
    case ("redirect", let value?):
      redirects = Self.number(value, within: 0...100)
      return redirects != nil
    case ("max-age", let value?):
      maxAge = Self.number(value, within: 0...2_147_483_647)
      return maxAge != nil
    case ("no-store", nil): isNotStored = true
    case ("hang", nil): hangs = true
    case ("reset", nil): resets = true
    case ("close-early", nil): closesEarly = true
    case ("chunked", nil): isChunked = true
    default: return false
    }
    return true
  }

  private static func number(_ text: some StringProtocol, within bounds: ClosedRange<Int>) -> Int? {
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text) else { return nil }
    return bounds.contains(number) ? number : nil
  }
}
