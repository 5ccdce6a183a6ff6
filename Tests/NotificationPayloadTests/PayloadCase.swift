import Foundation
import Testing

@testable import NotificationPayload

/// One case of `Cases`: a payload and what it says.
struct PayloadCase: CustomTestStringConvertible {
  var name: String
  /// The payload's text exactly as it stands in the file.
  var text: [UInt8]
  var compactBytes: Int?
  var expects: [String: Any]

  var testDescription: String { name }

  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Cases")

  static var names: [String] {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return files.filter { $0.hasSuffix(".json") }.sorted()
  }

  static func load(_ name: String) throws -> PayloadCase {
    let bytes = [UInt8](try Data(contentsOf: folder.appendingPathComponent(name)))
    guard let file = JSONText(bytes),
      let object = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any],
      let expects = object["expects"] as? [String: Any]
    else { throw CocoaError(.fileReadCorruptFile) }
    let text: [UInt8]
    if let payload = file.member("payload", of: 0) {
      text = Array(file.raw(payload))
    } else {
      text = Array((object["text"] as? String ?? "").utf8)
    }
    return PayloadCase(name: name, text: text, compactBytes: object["compactBytes"] as? Int, expects: expects)
  }
}

/// The same numbers for the same seed.
struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed }

  /// SplitMix64.
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

extension PushPayload {
  init?(_ text: String) { self.init(json: Array(text.utf8)) }
}

extension [UInt8] {
  var text: String { String(decoding: self, as: UTF8.self) }
}
