/// What a run of scenarios is told.
public struct BenchOptions: Sendable {
  /// The program that is measured.
  public var server: String
  /// The directory of nginx' configuration (`benchmarks/nginx`), for what is measured beside it.
  public var nginx: String
  /// The base length of one measurement in seconds.
  public var seconds: Double
  /// Rounds of what is compared with something else.
  public var rounds: Int
  /// Seed of pictures and of what is asked in which order.
  public var seed: UInt64
  /// Entries that the large caches have: all that the issue of speed asks for, or fewer for a short look.
  public var scale: Double

  /// Options for a full run.
  public init(
    server: String, nginx: String, seconds: Double = 6, rounds: Int = 3, seed: UInt64 = 1,
    scale: Double = 1
  ) {
    self.server = server
    self.nginx = nginx
    self.seconds = seconds
    self.rounds = rounds
    self.seed = seed
    self.scale = scale
  }

  /// So many, or fewer in a short look, but at least `least`.
  func scaled(_ number: Int, least: Int) -> Int { max(least, Int(Double(number) * scale)) }
}
