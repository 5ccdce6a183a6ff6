import AvatarCore
import Glibc
import Synchronization
import Testing

@testable import AvatarNormalize

/// A picture of `Samples/`, made by `Tests/Support/make-samples.py`.
func sample(_ name: String, file: StaticString = #filePath) throws -> [UInt8] {
  let directory = "\(file)".split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
  let stream = try #require(fopen("\(directory)/Samples/\(name)", "r"), "no sample \(name)")
  defer { fclose(stream) }
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 1 << 16)
  while true {
    let count = fread(&buffer, 1, buffer.count, stream)
    if count == 0 { return bytes }
    bytes += buffer[..<count]
  }
}

/// The same numbers for the same seed: a linear congruential generator (Knuth's MMIX), whose upper bits are good.
struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    let upper = step() & ~0xFFFF_FFFF
    return upper | step() >> 32
  }

  private mutating func step() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state
  }

  /// So many bytes.
  static func noise(_ count: Int, seed: UInt64) -> [UInt8] {
    var random = Self(seed: seed)
    return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.step() >> 56) }
  }
}

/// The colours of the quarters of the sample picture: top left, top right, bottom left, bottom right.
let quad: [SIMD4<UInt8>] = [[220, 40, 40, 255], [40, 170, 60, 255], [50, 70, 200, 255], [230, 200, 40, 255]]

/// The one normalizer of the tests, as in a worker: warmed up once, used by one test at a time.
enum SharedNormalizer {
  private static let shared = Mutex<Normalizer?>(nil)

  static func normalize(
    _ source: [UInt8], _ recipe: Recipe, _ limits: ImageLimits
  ) throws(AvatarError) -> (jpeg: [UInt8], facts: ImageFacts) {
    try shared.withLock { shared throws(AvatarError) in
      if shared == nil { shared = try Normalizer() }
      guard let normalizer = shared else { throw AvatarError(.internalFault) }
      return try normalizer.normalize(source, recipe: recipe, limits: limits)
    }
  }
}

/// An avatar, decoded again to be looked at.
struct Avatar {
  let jpeg: [UInt8]
  let facts: ImageFacts
  let side: Int
  private let pixels: [SIMD4<UInt8>]

  init(
    of source: [UInt8], recipe: Recipe = Recipe(size: 64), limits: ImageLimits = ImageLimits()
  ) throws(AvatarError) {
    (jpeg, facts) = try SharedNormalizer.normalize(source, recipe, limits)
    side = recipe.size
    let header = try ImageHeader(of: jpeg)
    let whole = Placement(width: header.width, height: header.height, recipe: Recipe(size: header.width))
    let decoded = try JPEGDecoder(axes: ResamplingAxes()).decode(header, placement: whole).0
    pixels = decoded.pixels.withBytes { bytes in
      stride(from: 0, to: bytes.count, by: 3).map { SIMD4(bytes[$0], bytes[$0 + 1], bytes[$0 + 2], 255) }
    }
  }

  /// The mean of 5×5 pixels around a point given in 256ths of the side.
  func colour(_ x: Int, _ y: Int) -> SIMD4<UInt8> {
    var sum = SIMD4<Int>.zero
    for row in -2...2 {
      for column in -2...2 {
        let at = (x * side / 256 + column, y * side / 256 + row)
        let pixel = pixels[max(0, min(side - 1, at.1)) * side + max(0, min(side - 1, at.0))]
        sum &+= SIMD4<Int>(truncatingIfNeeded: pixel)
      }
    }
    return SIMD4<UInt8>(truncatingIfNeeded: sum / 25)
  }

  /// The mean colours in the middle of the quarters.
  var quarters: [SIMD4<UInt8>] { [colour(64, 64), colour(192, 64), colour(64, 192), colour(192, 192)] }

  /// The largest difference of a channel from any of `others`' colours, over the whole picture, is under `limit` somewhere.
  func shows(_ colour: SIMD4<UInt8>, within limit: Int) -> Bool {
    pixels.contains { difference($0, colour) < limit }
  }
}

/// The largest difference in red, green or blue.
func difference(_ left: SIMD4<UInt8>, _ right: SIMD4<UInt8>) -> Int {
  (0..<3).map { abs(Int(left[$0]) - Int(right[$0])) }.max() ?? 0
}

/// Whether each colour is within `limit` of its counterpart.
func near(_ left: [SIMD4<UInt8>], _ right: [SIMD4<UInt8>], _ limit: Int) -> Bool {
  left.count == right.count && zip(left, right).allSatisfy { difference($0, $1) <= limit }
}

/// The code that `body` throws; nil if it throws none.
func code(_ body: () throws(AvatarError) -> Void) -> AvatarError.Code? {
  do throws(AvatarError) {
    try body()
    return nil
  } catch {
    return error.code
  }
}

/// The text of a small file.
func sampleText(_ path: String) throws -> String {
  let stream = try #require(fopen(path, "r"), "no \(path)")
  defer { fclose(stream) }
  var buffer = [UInt8](repeating: 0, count: 1 << 16)
  return String(decoding: buffer[..<fread(&buffer, 1, buffer.count, stream)], as: UTF8.self)
}
