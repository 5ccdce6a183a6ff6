import AvatarCore
import Testing

@testable import AvatarWorkers

/// What a worker may call an avatar.
struct FinishedJPEGTests {
  /// The smallest bytes that pass, in parts that tests exchange.
  struct Parts {
    var start: [UInt8] = [0xFF, 0xD8]
    var tables: [UInt8] = [0xFF, 0xDB, 0, 4, 0, 0]
    var frame: [UInt8] = [0xFF, 0xC0, 0, 17, 8, 1, 0, 1, 0, 3, 1, 0x22, 0, 2, 0x11, 0, 3, 0x11, 0]
    var scan: [UInt8] = [0xFF, 0xDA, 0, 12, 3, 1, 0, 2, 0, 3, 0, 0, 63, 0]
    var coded: [UInt8] = [0x12, 0xFF, 0, 0x34, 0xFF, 0xD0, 0x56]
    var end: [UInt8] = [0xFF, 0xD9]
    var bytes: [UInt8] { start + tables + frame + scan + coded + end }

    func with(_ change: (inout Parts) -> Void) -> [UInt8] {
      var parts = self
      change(&parts)
      return parts.bytes
    }
  }

  private func fault(_ bytes: [UInt8], size: Int = 256) -> String? {
    do {
      try FinishedJPEG.check(bytes, size: size)
      return nil
    } catch {
      return error.reason
    }
  }

  @Test func `a baseline picture of the right size passes`() {
    #expect(fault(Parts().bytes) == nil)
    let header: [UInt8] = [0xFF, 0xE0, 0, 16] + Array("JFIF\0".utf8) + [1, 1, 0, 0, 1, 0, 1, 0, 0]
    #expect(fault(Parts().with { $0.tables = header + $0.tables }) == nil)
    #expect(fault(Parts().with { $0.frame[5...8] = [0, 64, 0, 64] }, size: 64) == nil)
  }

  @Test func `everything else is stopped at the border`() {
    let bad: [(String, [UInt8])] = [
      ("nothing", []), ("a start alone", [0xFF, 0xD8]), ("a web page", Array("<html></html>".utf8)),
      ("a PNG", [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
      ("another size", Parts().with { $0.frame[6] = 1 }), ("not square", Parts().with { $0.frame[7] = 2 }),
      ("progressive", Parts().with { $0.frame[1] = 0xC2 }), ("twelve bits", Parts().with { $0.frame[4] = 12 }),
      ("one component", Parts().with { $0.frame = [0xFF, 0xC0, 0, 11, 8, 1, 0, 1, 0, 1, 1, 0x11, 0] }),
      ("two frames", Parts().with { $0.frame += $0.frame }), ("no frame", Parts().with { $0.frame = [] }),
      ("EXIF", Parts().with { $0.tables += [0xFF, 0xE1, 0, 8] + Array("Exif\0\0".utf8) }),
      ("an ICC profile", Parts().with { $0.tables += [0xFF, 0xE2, 0, 4, 0, 0] }),
      ("a comment", Parts().with { $0.tables += [0xFF, 0xFE, 0, 4, 0x68, 0x69] }),
      ("a thumbnail", Parts().with { $0.tables += [0xFF, 0xE0, 0, 19] + [UInt8](repeating: 1, count: 17) }),
      ("no end", Parts().with { $0.end = [] }), ("something after the end", Parts().with { $0.end += [0] }),
      ("a second scan", Parts().with { $0.coded += $0.scan }),
      ("an end in the middle", Parts().with { $0.coded += [0xFF, 0xD9] }),
      (
        "no coded bytes",
        Parts().with {
          $0.coded = []; $0.end = [0xD9]
        }
      ),
      ("a length past the end", Parts().with { $0.tables[2...3] = [0xFF, 0xFF] }),
      ("a length of one", Parts().with { $0.tables[2...3] = [0, 1] }),
      ("too long", Parts().with { $0.coded = [UInt8](repeating: 0, count: WorkerMessage.maximumAvatarBytes) }),
    ]
    for (name, bytes) in bad { #expect(fault(bytes) != nil, "\(name)") }
  }

  @Test func `every cut and every random change is judged without a trap`() {
    let whole = Parts().bytes
    for length in 0..<whole.count { #expect(fault(Array(whole[..<length])) != nil, "cut at \(length)") }
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(seed: seed)
    for _ in 0..<20_000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      if fault(bytes) == nil {
        #expect(bytes.starts(with: [0xFF, 0xD8]) && bytes.suffix(2) == [0xFF, 0xD9], "seed \(seed)")
      }
    }
  }
}
