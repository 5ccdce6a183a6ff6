/// `Retry-After` (RFC 9110 section 10.2.3).
public enum RetryAfter {
  /// How long to wait from `now`, never negative, at most 2³¹ seconds; nil where it is neither a number of seconds nor a date.
  public static func parse(_ text: some StringProtocol, now: UnixTime) -> Duration? {
    let text = String(text)
    if let seconds = DeltaSeconds.parse(text[...].utf8) { return .seconds(seconds) }
    guard let date = HTTPDate.parse(text, now: now) else { return nil }
    return min(.seconds(DeltaSeconds.maximum), max(.zero, date - now))
  }
}
