import AvatarCore
import AvatarWorkers
import Glibc
import Testing

/// The real `avatar-worker`, confined as it is in service.
struct AvatarWorkerTests {
  @Test(arguments: [[], ["805306368", "required"], ["--help"]])
  func `it refuses to be started by hand, in one line`(words: [String]) throws {
    let child = try Child([TestPool.directory() + "/avatar-worker"] + words, capturing: 2)
    let line = child.readAll()
    #expect(child.wait() == 2, "\(words)")
    #expect(line == "avatar-worker is started by avatar-server, never by hand\n", "\(words): \(line)")
  }

  /// A red square of two pixels' side in the formats that are short enough to write down, and drawings that want fonts and files.
  static let pictures: [(String, [UInt8])] = [
    (
      "gif",
      Array("GIF89a".utf8) + [
        2, 0, 2, 0, 0x80, 0, 0, 0xFF, 0, 0, 0, 0, 0, 0x2C, 0, 0, 0, 0, 2, 0, 2, 0, 0, 2, 2, 0x84, 0x51, 0, 0x3B,
      ]
    ),
    ("svg", drawing("<rect width='9' height='9' fill='red'/>")),
    ("svg", drawing("<text x='1' y='8' font-family='serif' font-style='italic'>W</text>")),
    ("svg", drawing("<text x='1' y='8' font-family='No Such Face' font-weight='900'>漢字 🙂</text>")),
    ("svg", drawing("<filter id='f'><feGaussianBlur stdDeviation='2'/></filter><circle r='5' filter='url(#f)'/>")),
  ]

  private static func drawing(_ content: String) -> [UInt8] {
    Array("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 9 9' width='9' height='9'>\(content)</svg>".utf8)
  }

  @Test func `it decodes in its cell, one picture after the other, and none ends it`() async throws {
    var options = WorkerPoolOptions(
      count: 1, executable: try TestPool.directory() + "/avatar-worker", log: RecordingLog())
    options.startTimeout = .seconds(60)
    let pool = try WorkerPool(options)
    try await pool.start()
    for round in 0..<3 {
      for (format, picture) in Self.pictures {
        let text = String(decoding: picture, as: UTF8.self)
        do {
          let avatar = try await pool.normalize(
            SourceBytes(picture), recipe: Recipe(), limits: ImageLimits(decodeTimeout: .seconds(20)),
            priority: .interactive,
            deadline: .after(.seconds(60)))
          #expect(avatar.facts.format == format, "round \(round): \(text)")
        } catch {
          Issue.record("round \(round): \(error) for \(text)")
        }
      }
      for (junk, code) in [("%PDF-1.7", AvatarError.Code.imageUnsupported), ("GIF89a", .imageCorrupt)] {
        let fault = await #expect(throws: AvatarError.self) {
          try await pool.normalize(
            SourceBytes(Array(junk.utf8)), recipe: Recipe(), limits: ImageLimits(), priority: .interactive,
            deadline: .after(.seconds(60)))
        }
        #expect(fault?.code == code, "round \(round): \(junk)")
      }
    }
    #expect(pool.statistics().restarts == [:])
    await pool.stop()
  }
}
