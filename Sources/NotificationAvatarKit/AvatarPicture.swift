public import Foundation
public import NotificationPayload

/// A picture that can be shown: a whole JPEG of at most the side that was asked for.
public struct AvatarPicture: Hashable, Sendable {
  /// The JPEG.
  public let jpeg: Data
  /// Whose picture it is, and by which URL it came.
  public let candidate: AvatarCandidate
  /// Whether it came from the cache.
  public let isCached: Bool
}

/// What came of a download: a picture, or why there is none.
public struct AvatarOutcome: Hashable, Sendable {
  /// One candidate's fault.
  public struct Failure: Hashable, Sendable {
    /// The candidate.
    public let candidate: AvatarCandidate
    /// What was wrong.
    public let fault: DownloadFault
  }

  /// The picture of the first candidate that has one.
  public let picture: AvatarPicture?
  /// The candidates that were tried in vain before, in order.
  public let failures: [Failure]
}
