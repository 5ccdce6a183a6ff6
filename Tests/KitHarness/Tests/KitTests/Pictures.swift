import Foundation

@testable import NotificationAvatarKit

/// Pictures for tests, made by hand.
enum Pictures {
  /// A JPEG's segments: `frame` is the marker of its frame.
  static func jpeg(
    width: Int = 256, height: Int = 256, frame: UInt8 = 0xC0, components: Int = 3, before: [UInt8] = [],
    filling: Int = 900, end: [UInt8] = [0xFF, 0xD9]
  ) -> [UInt8] {
    func two(_ number: Int) -> [UInt8] { [UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF)] }
    let count = UInt8(components)
    var bytes: [UInt8] = [0xFF, 0xD8] + before
    bytes += [0xFF, frame] + two(8 + components * 3)
    bytes += [8] + two(height) + two(width) + [count]
    for index in 0..<count { bytes += [index + 1, 0x11, 0] }
    bytes += [0xFF, 0xDA] + two(6 + components * 2) + [count]
    for index in 0..<count { bytes += [index + 1, 0] }
    bytes += [0, 63, 0]
    return bytes + [UInt8](repeating: 0x55, count: filling) + end
  }

  /// An APP1 segment with Exif in it.
  static let exif: [UInt8] = [0xFF, 0xE1, 0, 10] + Array("Exif".utf8) + [0, 0, 1, 2]

  /// A PNG's head and end; the stand-in of ImageIO looks no further.
  static func png(width: Int, height: Int, isWhole: Bool = true) -> [UInt8] {
    func four(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(number >> (24 - 8 * $0) & 0xFF) } }
    let start: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + four(13) + Array("IHDR".utf8)
    let end: [UInt8] = four(0) + Array("IEND".utf8) + [0xAE, 0x42, 0x60, 0x82]
    return start + four(width) + four(height) + [8, 2, 0, 0, 0] + four(0) + (isWhole ? end : [1, 2, 3])
  }

  static func digest(_ bytes: [UInt8]) -> String { SHA256Digest(of: Data(bytes)).hex }
}

/// The same numbers for the same seed (SplitMix64).
struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed }
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// A folder of its own for one test.
final class Folder: Sendable {
  let url = FileManager.default.temporaryDirectory.appendingPathComponent("kit-test-\(UUID().uuidString)")
  init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
  deinit { try? FileManager.default.removeItem(at: url) }
  var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted() }
}
