extension Freshness {
  /// The lifetimes that one answer hands out.
  public struct Lifetimes: Hashable, Sendable {
    /// Seconds for `max-age`.
    public var maxAge: Int64
    /// Seconds for `stale-while-revalidate`; 0 leaves it out.
    public var staleWhileRevalidate: Int64
    /// Seconds for `stale-if-error`; 0 leaves it out.
    public var staleIfError: Int64
    /// Seconds for `Cache-Status`: freshness left, negative when stale.
    public var ttl: Int64
    /// False where nothing may be handed on.
    public var maySpread: Bool
    /// For how long from the assessment on the same header block may be sent again: it never hands out more than is left by then, and
    /// ends with the entry's state at the latest.
    public var validFor: Duration

    /// `Cache-Control` of an answer that stays the same for good: an object by its hash, an avatar by its version.
    public static let immutable = "public, max-age=31536000, immutable"

    /// The same with `max-age` at most `seconds` and no stale windows, as for an answer that stands in for a better source.
    public func capped(at seconds: Int64) -> Lifetimes {
      var capped = self
      capped.maxAge = min(maxAge, max(0, seconds))
      capped.staleWhileRevalidate = 0
      capped.staleIfError = 0
      return capped
    }

    /// The value of `Cache-Control`. What may not spread is kept by nobody without asking again.
    public var cacheControl: String { cacheControl(maxAge: "\(maxAge)") }

    /// The same with another text for the seconds of `max-age`.
    public func cacheControl(maxAge: String) -> String {
      guard maySpread else { return "public, max-age=0, must-revalidate" }
      var text = "public, max-age=\(maxAge)"
      if staleWhileRevalidate > 0 { text += ", stale-while-revalidate=\(staleWhileRevalidate)" }
      if staleIfError > 0 { text += ", stale-if-error=\(staleIfError)" }
      return text
    }
  }

  /// The lifetimes to the second, for an answer that is made for one request.
  public func exact() -> Lifetimes { lifetimes { $0 / 1000 } }

  /// The lifetimes rounded down together, so that their header block can be reused: by at most 1 % of the shortest or 10 s, whichever
  /// is less, and to whole seconds. (Contract, section 4.)
  public func prepared() -> Lifetimes { lifetimes(Self.roundedDown) }

  /// The seconds to hand out of so many milliseconds, 0 or more, so that they can be handed out again for a while.
  public static func roundedDown(milliseconds: Int64) -> Int64 {
    let slack = min(10_000, milliseconds / 100)
    let (seconds, rest) = (milliseconds - slack).quotientAndRemainder(dividingBy: 1000)
    // The lowest whole second within the slack; the next lower second where the slack holds none.
    return min(rest == 0 ? seconds : seconds + 1, milliseconds / 1000)
  }

  /// `rounded` takes the milliseconds of the lifetime that runs out first and gives the seconds to hand out for it.
  private func lifetimes(_ rounded: (Int64) -> Int64) -> Lifetimes {
    switch state {
    case .fresh:
      let left = (freshUntil - assessedAt).milliseconds
      let seconds = rounded(left)
      return Lifetimes(
        maxAge: maySpread ? seconds : 0, staleWhileRevalidate: staleWhileRevalidateFor,
        staleIfError: staleIfErrorFor, ttl: seconds, maySpread: maySpread,
        validFor: .milliseconds(left - seconds * 1000))
    case .staleWhileRevalidate, .staleIfError:
      let (whileRevalidate, ifError) = (whileRevalidateLeft.milliseconds, ifErrorLeft.milliseconds)
      let shortest =
        whileRevalidate > 0 && ifError > 0 ? min(whileRevalidate, ifError) : max(whileRevalidate, ifError)
      let spent = shortest - rounded(shortest) * 1000
      return Lifetimes(
        maxAge: 0, staleWhileRevalidate: max(0, whileRevalidate - spent) / 1000,
        staleIfError: max(0, ifError - spent) / 1000, ttl: freshFor, maySpread: maySpread,
        validFor: .milliseconds(spent))
    case .expired:
      return Lifetimes(
        maxAge: 0, staleWhileRevalidate: 0, staleIfError: 0, ttl: freshFor, maySpread: maySpread, validFor: .zero)
    }
  }
}
