public import AvatarCore
internal import AvatarNormalize
internal import CVips
internal import Glibc

/// Our normalizer beside libvips' own thumbnail of the same bytes, in one process: what each costs, and how near each comes to
/// the picture that both are after.
///
/// libvips is given what helps it: its vector code, no colour profile to set up, and one JPEG at the quality that ours ended
/// at. Process-wide switches are turned while it runs: nothing else may use libvips meanwhile.
public enum NormalizerComparison {
  /// One source picture.
  public struct Sample: Sendable {
    /// For people.
    public var name: String
    /// The encoded picture.
    public var bytes: [UInt8]

    /// Makes a sample.
    public init(name: String, bytes: [UInt8]) {
      self.name = name
      self.bytes = bytes
    }
  }

  /// Measures `samples` in turn, over and over: each of `rounds` rounds spends about `seconds` of CPU time on each sample,
  /// alternating between the two. Throws what `Normalizer` throws, `internal` where libvips refuses a sample.
  public static func run(
    samples: [Sample], rounds: Int, seconds: Double, recipe: Recipe = Recipe()
  ) throws(AvatarError) -> [ComparisonRow] {
    let normalizer = try Normalizer()
    try LibraryThumbnail.open()
    var rows: [ComparisonRow] = []
    for sample in samples { rows.append(try judged(sample, normalizer, recipe)) }
    for round in 0..<max(1, rounds) {
      for (index, sample) in samples.enumerated() {
        let turn = Turn(sample: sample.bytes, recipe: recipe, quality: rows[index].quality, normalizer: normalizer)
        let times = try turn.alternating(ourselvesFirst: round.isMultiple(of: 2), seconds: seconds)
        rows[index].ours.append(times.ours)
        rows[index].library.append(times.library)
      }
    }
    return rows
  }

  /// CPU microseconds that libvips' own thumbnail of each of `samples` takes, in the mean, measured for about `seconds`: a yardstick for what else
  /// is done with the same pictures. Throws `internal` where libvips refuses a sample.
  public static func library(
    of samples: [Sample], seconds: Double, recipe: Recipe = Recipe()
  ) throws(AvatarError) -> Double {
    try LibraryThumbnail.open()
    var (spent, turns) = (0.0, 0)
    while turns == 0 || spent < seconds * 1_000_000 {
      let start = Turn.processMicroseconds()
      for sample in samples { _ = try LibraryThumbnail.make(of: sample.bytes, recipe.size, recipe.quality) }
      spent += Turn.processMicroseconds() - start
      turns += samples.count
    }
    return spent / Double(max(1, turns))
  }

  /// How near both come to the reference, without a look at the clock.
  private static func judged(
    _ sample: Sample, _ normalizer: Normalizer, _ recipe: Recipe
  ) throws(AvatarError) -> ComparisonRow {
    let (jpeg, facts) = try normalizer.normalize(sample.bytes, recipe: recipe, limits: ImageLimits())
    let reference = try ReferenceAvatar(of: sample.bytes, recipe).jpeg(quality: facts.quality)
    let wanted = try PlainPicture(decoding: reference)
    let library = try LibraryThumbnail.make(of: sample.bytes, recipe.size, facts.quality)
    return ComparisonRow(
      name: sample.name, sourceBytes: sample.bytes.count, jpegBytes: jpeg.count, libraryBytes: library.count,
      quality: facts.quality, nearness: Nearness(of: try PlainPicture(decoding: jpeg), to: wanted),
      libraryNearness: Nearness(of: try PlainPicture(decoding: library), to: wanted))
  }

  /// One sample in one round.
  private struct Turn {
    let sample: [UInt8]
    let recipe: Recipe
    let quality: Int
    let normalizer: Normalizer

    /// CPU microseconds an image, all threads of the process counted.
    func alternating(
      ourselvesFirst: Bool, seconds: Double
    ) throws(AvatarError) -> (ours: Double, library: Double) {
      var (ours, library, turns) = (0.0, 0.0, 0.0)
      // Few at a time: close enough to feel the same machine, and long enough for the clock.
      while turns == 0 || ours + library < seconds * 1_000_000 {
        if ourselvesFirst { ours += try spent(onOurs: true) }
        library += try spent(onOurs: false)
        if !ourselvesFirst { ours += try spent(onOurs: true) }
        turns += 1
      }
      return (ours / turns, library / turns)
    }

    private func spent(onOurs: Bool) throws(AvatarError) -> Double {
      let start = Self.processMicroseconds()
      var written = 0
      for _ in 0..<2 {
        if onOurs {
          written += try normalizer.normalize(sample, recipe: recipe, limits: ImageLimits()).jpeg.count
        } else {
          written += try LibraryThumbnail.make(of: sample, recipe.size, quality).count
        }
      }
      // Looked at, so that the compiler may leave nothing out.
      precondition(written > 0, "a picture of no bytes")
      return (Self.processMicroseconds() - start) / 2
    }

    static func processMicroseconds() -> Double {
      var time = timespec()
      clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
      return Double(time.tv_sec) * 1_000_000 + Double(time.tv_nsec) / 1_000
    }
  }
}
