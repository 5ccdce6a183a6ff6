import Dispatch
public import Foundation
public import NotificationPayload

/// Downloads the first avatar of a list that can be had, all within one deadline.
public struct AvatarDownloader: Sendable {
  /// The limits.
  public struct Options: Hashable, Sendable {
    /// Seconds for all candidates together. While others wait, a candidate has an equal share of what is left.
    public var deadline: TimeInterval = 8
    /// Most bytes of an answer, counted as they come.
    public var maximumBytes = 512 * 1024
    /// Most redirects of one candidate. None leads from `https` to `http`, or to another scheme.
    public var maximumRedirects = 3
    /// Longest side of the picture, in pixels.
    public var side = 256
    /// Most pixels of what has to be reduced first; 2 million take 8 MB, and an extension has 24 MB for everything.
    public var maximumPixels = 2_000_000

    /// The defaults.
    public init() {}
  }

  /// The limits.
  public let options: Options
  /// Where avatars are kept; nil for nowhere.
  public let cache: AvatarCache?

  /// Downloads within these limits, by way of this cache.
  public init(options: Options = Options(), cache: AvatarCache? = AvatarCache()) {
    self.options = options
    self.cache = cache
  }

  /// Tries the candidates, best first. A candidate with any fault (a 404, the wrong bytes, silence) leads on to the next one.
  ///
  /// `completion` runs once, on a queue of its own, no later than the deadline; after `cancel()` with `.cancelled`.
  @discardableResult
  public func download(
    _ candidates: [AvatarCandidate], completion: @escaping @Sendable (AvatarOutcome) -> Void
  ) -> AvatarDownload {
    let download = AvatarDownload(candidates, options: options, cache: cache, completion: completion)
    download.start()
    return download
  }
}
