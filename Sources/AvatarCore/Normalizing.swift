/// The port to the confined workers: a source's bytes in, a finished avatar out.
public protocol AvatarNormalizing: Sendable {
  /// Waits for a worker slot, has `source` decoded and normalized there, and gives the avatar.
  ///
  /// Throws `image_*`, `source_empty`, `overloaded` (the queue is full) or `budget_exceeded` (the deadline passed while
  /// waiting for a slot). A worker that dies or runs out of time costs one retry on a fresh one while the deadline lasts; a second
  /// death of its own doing is `image_corrupt`; one that was killed from outside is `internal`, which is not remembered.
  func normalize(
    _ source: SourceBytes, recipe: Recipe, limits: ImageLimits, priority: WorkPriority, deadline: Deadline
  ) async throws(AvatarError) -> NormalizedAvatar
}

/// Who waits for the work: what a person waits for goes before what is done ahead of time.
public enum WorkPriority: Int, Comparable, Sendable {
  /// Prefetches without a waiter, warm runs and refreshes behind a stale answer.
  case background = 0
  /// A request waits.
  case interactive = 1
  /// Less urgent first.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// A finished avatar and how it came about.
public struct NormalizedAvatar: Sendable {
  /// A baseline sRGB JPEG of `recipe.size` squared, without metadata.
  public var jpeg: [UInt8]
  /// What was seen on the way.
  public var facts: ImageFacts
  /// From the request for a slot to getting one.
  public var queued: Duration
  /// CPU time that the worker used.
  public var decoded: Duration

  /// Makes a finished avatar.
  public init(jpeg: [UInt8], facts: ImageFacts, queued: Duration, decoded: Duration) {
    self.jpeg = jpeg
    self.facts = facts
    self.queued = queued
    self.decoded = decoded
  }
}

/// What a worker saw of the source image, for `inspect` and the log.
public struct ImageFacts: Hashable, Sendable {
  /// The format by magic bytes: `jpeg`, `png`, `gif`, `webp`, `avif`, `heic`, `svg`.
  public var format: String
  /// Stored width in pixels, before any turn; for SVG what its size comes to.
  public var width: Int
  /// Stored height in pixels, before any turn.
  public var height: Int
  /// EXIF orientation applied, 1…8 (1 where the container had turned it already).
  public var orientation: Int
  /// Whether an embedded ICC profile was used for the conversion to sRGB.
  public var usedProfile: Bool
  /// Whether the source has transparency.
  public var hasAlpha: Bool
  /// Frames or pages as far as the header tells; 1 for a still.
  public var frames: Int
  /// JPEG quality of the result.
  public var quality: Int

  /// Makes facts.
  public init(
    format: String, width: Int, height: Int, orientation: Int = 1, usedProfile: Bool = false, hasAlpha: Bool = false,
    frames: Int = 1, quality: Int = 0
  ) {
    self.format = format
    self.width = width
    self.height = height
    self.orientation = orientation
    self.usedProfile = usedProfile
    self.hasAlpha = hasAlpha
    self.frames = frames
    self.quality = quality
  }
}
