import Foundation
import Testing

@testable import NotificationPayload

/// What holds for every payload, tried on made-up ones. A failure prints its seed and payload.
struct PayloadPropertyTests {
  @Test(arguments: 0..<600 as Range<UInt64>)
  func `rewriting changes the avatar URLs and the flag, and nothing else`(seed: UInt64) throws {
    var sample = PayloadSample(seed: seed)
    let text = sample.make()
    let payload = try #require(PushPayload(json: text.before), "\(text.before.text)")
    #expect(payload.decision.kind != .other, "\(text.before.text)")
    let rewritten = payload.rewritten { .replace(PayloadSample.replacement($0.role)) }
    #expect(rewritten.text == text.after.text, "\(text.before.text)")

    let again = try #require(PushPayload(json: rewritten), "\(rewritten.text)")
    var expected = payload.decision
    expected.avatars = again.decision.avatars
    #expect(again.decision == expected, "\(text.before.text)")
    #expect(again.decision.avatars.map(\.role) == payload.decision.avatars.map(\.role), "\(text.before.text)")
    #expect(again.rewritten { _ in .keep } == rewritten, "\(text.before.text)")

    let emptied = payload.rewritten { _ in .remove }
    let bare = try #require(PushPayload(json: emptied), "\(emptied.text)")
    expected.avatars = []
    #expect(bare.decision == expected, "\(text.before.text)")
    #expect(bare.pictures.isEmpty, "\(text.before.text)")
  }

  @Test(arguments: PayloadCase.names)
  func `damaged payloads are read, rewritten and measured without harm`(name: String) throws {
    let sample = try PayloadCase.load(name)
    for seed in 0..<150 as Range<UInt64> {
      var random = SeededRandom(seed: seed)
      var text = sample.text
      for _ in 0..<Int.random(in: 1...4, using: &random) { Self.damage(&text, &random) }
      guard let payload = PushPayload(json: text) else { continue }
      let fitted = payload.fitted { PushPayload.Offer(avatarURL: PayloadSample.replacement($0.role)) }
      let again = PushPayload(json: fitted.json)
      #expect(again?.sizes == fitted.sizes, "seed \(seed): \(text.text)")
      #expect(again?.decision.kind == payload.decision.kind, "seed \(seed): \(text.text)")
      if payload.decision.kind == .other { #expect(fitted.json == text, "seed \(seed): \(text.text)") }
      let read = try? JSONSerialization.jsonObject(with: Data(fitted.json), options: .fragmentsAllowed)
      #expect(read != nil || fitted.json.text.contains("\\u"), "seed \(seed): \(text.text)")
    }
  }

  @Test(arguments: [
    #"{"a":"#, #"{"data":"{"#, "\"\\\"", #"{"custom":{"a":{"type":"single_chat"}},"#, #"{"sender":"{}","sender":"{}","#,
  ])
  func `a megabyte of anything is bounded work`(unit: String) {
    let text = String(repeating: unit, count: PushPayload.maximumBytes / unit.utf8.count)
    #expect(PushPayload(text) == nil)
    #expect(PushPayload(json: [UInt8](repeating: 0x20, count: PushPayload.maximumBytes) + [0x31]) == nil)
  }

  @Test func `a megabyte of members is bounded work`() throws {
    let many = String(repeating: #""sender":"{}","#, count: 70_000)
    let text = #"{\#(many)"type":"single_chat","sender":{"name":"A","profile":"https://a.example/1"},"aps":{}}"#
    let payload = try #require(PushPayload(text))
    #expect(payload.decision.avatars.count == 1)
    #expect(payload.rewritten { _ in .remove }.count < text.utf8.count)
  }

  private static func damage(_ text: inout [UInt8], _ random: inout SeededRandom) {
    guard !text.isEmpty else { return }
    let place = Int.random(in: 0..<text.count, using: &random)
    let end = min(text.count, place + Int.random(in: 1...12, using: &random))
    switch Int.random(in: 0..<6, using: &random) {
    case 0: text[place] = UInt8.random(in: 0...255, using: &random)
    case 1: text.removeSubrange(place..<end)
    case 2: text.insert(contentsOf: text[place..<end], at: Int.random(in: 0...text.count, using: &random))
    case 3: text.insert(Array("{}[]\",:\\ 0tn".utf8).randomElement(using: &random) ?? 0, at: place)
    case 4: text.removeLast(text.count - place)
    default:
      // Whole values swap their places more often than single bytes would let them.
      let words = ["null", "true", "1.5", "\"\"", "{}", "[]", "\"https://b.example/\"", "\"{}\"", "\"\\ud800\""]
      guard let colon = text[place...].firstIndex(of: UInt8(ascii: ":")) else { return }
      let stop =
        text[colon...].firstIndex { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "}") || $0 == 0x0A } ?? text.endIndex
      text.replaceSubrange((colon + 1)..<stop, with: Array((words.randomElement(using: &random) ?? "").utf8))
    }
  }
}
