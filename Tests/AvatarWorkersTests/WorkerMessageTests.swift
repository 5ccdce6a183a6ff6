import AvatarCore
import Testing

/// The protocol between the server and a worker.
struct WorkerMessageTests {
  static let messages: [WorkerMessage] = {
    var report = ConfinementReport()
    report.note(.callFilter, 0)
    report.note(.landlock, 38)
    let recipe = Recipe(
      size: 64, quality: 90, minimumQuality: 50, targetBytes: 9999, background: 0x12_34_56, fit: .contain)
    let limits = ImageLimits(maxPixels: 5, maxPixelsWhole: 3, decodeTimeout: .milliseconds(1234))
    let facts = ImageFacts(
      format: "heic", width: 4032, height: 3024, orientation: 6, usedProfile: true, hasAlpha: false, frames: 2,
      quality: 76)
    return [
      .request(WorkerRequest(recipe: Recipe(), limits: ImageLimits(), sourceBytes: 0)),
      .request(WorkerRequest(recipe: recipe, limits: limits, sourceBytes: 10 << 20)),
      .avatar(jpeg: [0xFF, 0xD8, 0xFF, 0xD9], facts: facts),
      .avatar(jpeg: [], facts: ImageFacts(format: "svg", width: 0, height: 0)),
      .refusal(AvatarError(.imageCorrupt, "ends before its last row")), .refusal(AvatarError(.sourceEmpty)),
      .ready(ConfinementReport()), .ready(report),
    ]
  }()

  private func decode(_ bytes: [UInt8]) throws(WorkerMessageFault) -> WorkerMessage {
    let header = try WorkerMessageHeader(bytes: bytes.prefix(WorkerMessage.headerBytes))
    return try WorkerMessage(header: header, body: Array(bytes.dropFirst(WorkerMessage.headerBytes)))
  }

  @Test(arguments: messages)
  func `every message survives the way`(message: WorkerMessage) throws {
    let bytes = message.bytes(sequence: 0xDEAD_BEEF)
    #expect(try decode(bytes) == message)
    #expect(try WorkerMessageHeader(bytes: bytes.prefix(16)).sequence == 0xDEAD_BEEF)
  }

  @Test(arguments: messages)
  func `every cut is a fault`(message: WorkerMessage) {
    let bytes = message.bytes(sequence: 1)
    for length in 0..<bytes.count {
      #expect(throws: WorkerMessageFault.self, "\(message) cut at \(length)") { try decode(Array(bytes[..<length])) }
    }
  }

  @Test func `no length beyond its kind's bound is believed`() throws {
    for kind: UInt8 in 1...4 {
      let bound = try #require(WorkerMessageHeader.Kind(rawValue: kind)).maximumBodyBytes
      for (length, isTaken) in [(bound, true), (bound + 1, false), (Int(UInt32.max), false)] {
        let field = (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) }
        let bytes: [UInt8] = [0x41, 0x76, 0x57, WorkerMessage.version, kind, 0, 0, 0] + field + [0, 0, 0, 0]
        #expect(((try? WorkerMessageHeader(bytes: bytes)) != nil) == isTaken, "kind \(kind), length \(length)")
      }
    }
  }

  @Test func `another version, an unknown kind and reserved bytes are faults`() throws {
    let good = WorkerMessage.ready(ConfinementReport()).bytes(sequence: 0)
    for (place, value) in [(0, 0x42), (3, 0), (3, 2), (4, 0), (4, 5), (5, 1), (7, 1)] as [(Int, UInt8)] {
      var bytes = good
      bytes[place] = value
      #expect(throws: WorkerMessageFault.self, "byte \(place) = \(value)") { try decode(bytes) }
    }
  }

  @Test func `a worker's text is cut and made harmless`() throws {
    let message = WorkerMessage.refusal(
      AvatarError(.imageCorrupt, "a\u{1b}[2J\nü" + String(repeating: "x", count: 1000)))
    guard case .refusal(let error) = try decode(message.bytes(sequence: 0)) else { throw WorkerMessageFault("kind") }
    #expect(error.detail.utf8.count == WorkerMessage.maximumDetailBytes)
    #expect(error.detail.hasPrefix("a?[2J???xxx"), "\(error.detail.prefix(20))")
  }

  @Test func `random bytes are faults or messages, never a trap`() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(seed: seed)
    var taken = 0
    for round in 0..<50_000 {
      var bytes = Self.messages[round % Self.messages.count].bytes(sequence: 0)
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      guard let message = try? decode(bytes) else { continue }
      taken += 1
      // What was taken can be said again, and is the same.
      #expect((try? decode(message.bytes(sequence: 0))) == message, "seed \(seed), \(bytes)")
    }
    #expect(taken > 100, "seed \(seed)")
  }
}

/// What a confinement report says.
struct ConfinementReportTests {
  @Test func `only what was tried and went well holds`() {
    var report = ConfinementReport()
    #expect(!report.holds && report.missing == ConfinementMeasure.allCases)
    for measure in ConfinementMeasure.allCases { report.note(measure, 0) }
    #expect(report.holds && report.missing.isEmpty)
  }

  @Test(arguments: ConfinementMeasure.allCases)
  func `a report stands or falls with the required measures`(measure: ConfinementMeasure) {
    var report = ConfinementReport()
    for other in ConfinementMeasure.allCases { report.note(other, other == measure ? 1 : 0) }
    #expect(report.holds == !measure.isRequired, "\(measure)")
    #expect(report.missingDescriptions == ["\(measure.name) (errno 1)"])
  }

  @Test func `a failure stays though a later try goes well`() {
    var report = ConfinementReport()
    report.note(.landlock, 38)
    report.note(.landlock, 0)
    #expect(report.outcomes[.landlock] == 38)
  }
}
