/// What was measured of one sample.
public struct ComparisonRow: Sendable {
  /// The sample's.
  public let name: String
  /// The encoded source.
  public let sourceBytes: Int
  /// Our avatar.
  public let jpegBytes: Int
  /// libvips' thumbnail at the same quality.
  public let libraryBytes: Int
  /// The JPEG quality that ours ended at; the thumbnail's too.
  public let quality: Int
  /// How near our avatar comes to the reference.
  public let nearness: Nearness
  /// How near libvips' thumbnail does.
  public let libraryNearness: Nearness
  /// CPU microseconds an image, one for each round.
  public internal(set) var ours: [Double] = []
  /// CPU microseconds of libvips' thumbnail and its JPEG, one for each round.
  public internal(set) var library: [Double] = []

  /// Ours as a part of libvips', one for each round.
  public var ratios: [Double] { zip(ours, library).map { $0 / $1 } }
  /// The median of the ratios; 0 before the first round.
  public var ratio: Double { Self.median(ratios) }
  /// The least and the largest of the ratios.
  public var spread: ClosedRange<Double> { (ratios.min() ?? 0)...(ratios.max() ?? 0) }
  /// The median of `ours`.
  public var ourMicroseconds: Double { Self.median(ours) }
  /// The median of `library`.
  public var libraryMicroseconds: Double { Self.median(library) }

  private static func median(_ values: [Double]) -> Double {
    guard !values.isEmpty else { return 0 }
    let sorted = values.sorted()
    return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
  }
}
