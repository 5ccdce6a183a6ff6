public import AvatarCore
import FoundationEssentials

/// A whole run: what `--json` writes and `--compare` reads.
public struct BenchResult: Sendable, Codable {
  /// The form of this document; another number is not read.
  public static let format = 2

  /// Its form.
  public var format = Self.format
  /// The product's version.
  public var version: String
  /// The commit of the working tree that the server lies in, with a `+` where files differ from it; empty outside of one.
  public var commit: String
  /// When it began, RFC 3339.
  public var began: String
  /// Where.
  public var machine: Machine
  /// What the server was: the program's path as it was given.
  public var server: String
  /// The base length of a measurement in seconds.
  public var seconds: Double
  /// Rounds of what is compared.
  public var rounds: Int
  /// Size of the large caches: 1 is the whole.
  public var scale: Double
  /// The seed of pictures and of the order of requests.
  public var seed: UInt64
  /// Whether only budgets that hold on any machine decided.
  public var countsOnly: Bool
  /// In the order they ran.
  public var scenarios: [ScenarioResult] = []

  /// A run that begins now.
  public init(
    server: String, seconds: Double, rounds: Int = 3, scale: Double = 1, seed: UInt64 = 1, countsOnly: Bool
  ) {
    version = Product.version
    commit = WorkingTree.commit(around: server)
    began = Date.now.formatted(.iso8601)
    machine = .here
    (self.server, self.countsOnly) = (server, countsOnly)
    (self.seconds, self.rounds, self.scale, self.seed) = (seconds, rounds, scale, seed)
  }

  /// As a JSON document.
  public func json() throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return Array(try encoder.encode(self)) + [10]
  }

  /// From such a document; throws `invalid_request` with what is wrong where it is none, or has another form.
  public init(json: [UInt8]) throws(AvatarError) {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    // The form first: what else another one holds is not known.
    guard let form = try? decoder.decode(Form.self, from: Data(json)) else {
      throw AvatarError(.invalidRequest, "is no result of avatar-bench")
    }
    guard form.format == Self.format else {
      throw AvatarError(.invalidRequest, "is a result of format \(form.format); format \(Self.format) is read here")
    }
    do {
      self = try decoder.decode(Self.self, from: Data(json))
    } catch {
      throw AvatarError(.invalidRequest, "is a damaged result of avatar-bench")
    }
  }

  private struct Form: Decodable {
    let format: Int
  }

  /// How the run ended, as an exit status: 3 not valid or not finished, 1 a budget is broken, 0 all are met.
  public var exitStatus: Int32 {
    if scenarios.contains(where: { !$0.broken(onlyAlways: true).isEmpty }) { return 1 }
    if scenarios.contains(where: { $0.failure != nil || (!countsOnly && !$0.problems.isEmpty) }) { return 3 }
    return scenarios.contains { !$0.broken(onlyAlways: countsOnly).isEmpty } ? 1 : 0
  }
}
