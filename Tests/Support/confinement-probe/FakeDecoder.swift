import AvatarCore
import CProbe
import Glibc

/// Takes orders instead of pictures: the source is text that says what happens.
final class FakeDecoder {
  private var seen = 0

  func normalize(
    _ source: [UInt8], _ recipe: Recipe, _ limits: ImageLimits
  ) throws(AvatarError) -> (jpeg: [UInt8], facts: ImageFacts) {
    defer { seen += 1 }
    let order = String(decoding: source.prefix(64), as: UTF8.self).split(separator: "\n").first.map(String.init) ?? ""
    if order.hasPrefix("try ") {
      let result = probe_try(String(order.dropFirst(4)))
      throw AvatarError(.imageUnsupported, result == 0 ? "it worked" : "errno \(result)")
    }
    if order.hasPrefix("refuse ") {
      throw AvatarError(AvatarError.Code(rawValue: String(order.dropFirst(7))) ?? .internalFault, "as told")
    }
    var size = recipe.size
    switch order {
    case "crash": probe_crash()
    case "crash unless fresh": if seen > 0 { probe_crash() }
    case "abort": abort()
    case "exit": exit(0)
    case "spin": probe_spin()
    case "spin without the alarm":
      var none = itimerval()
      setitimer(__itimer_which_t(ITIMER_PROF.rawValue), &none, nil)
      probe_spin()
    case "sleep": probe_sleep()
    case "hold": probe_hold()
    case "babble": Self.writeRaw([UInt8](repeating: 0x2A, count: 64))
    case "claim four gigabytes":
      Self.writeRaw([0x41, 0x76, 0x57, WorkerMessage.version, 2, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0])
    case "answer another": Self.writeRaw(WorkerMessage.refusal(AvatarError(.imageCorrupt)).bytes(sequence: .max))
    case "be ready again": Self.writeRaw(WorkerMessage.ready(ConfinementReport()).bytes(sequence: 0))
    case "close the socket":
      close(3)
      probe_sleep()
    case "answer with text": return (Array("<html>".utf8), facts)
    case "answer with another size": size = 300
    case "hoard": Self.hoard(megabytes: 40)
    case "chatter": Self.chatter()
    case "sum": throw AvatarError(.imageUnsupported, "sum \(source.reduce(into: 0) { $0 += Int($1) })")
    case "nice":
      throw AvatarError(.imageUnsupported, "nice \(getpriority(__priority_which_t(0), 0))")
    default: break
    }
    return (Self.jpeg(size: size), facts)
  }

  static func writeRaw(_ bytes: [UInt8]) { _ = write(3, bytes, bytes.count) }

  private var facts: ImageFacts { ImageFacts(format: "png", width: 640, height: 480, frames: 1, quality: 82) }

  /// Keeps memory that it has touched.
  private static func hoard(megabytes: Int) {
    for _ in 0..<megabytes {
      if let page = malloc(1 << 20) { memset(page, 1, 1 << 20) }
    }
  }

  private static func chatter() {
    let line = Array(("\u{1b}[31mwarning: " + String(repeating: "x", count: 50) + "\n").utf8)
    for _ in 0..<20_000 { _ = write(2, line, line.count) }
  }

  /// The bytes of a baseline JPEG as far as its structure goes; its one scan is noise.
  static func jpeg(size: Int) -> [UInt8] {
    let side = [UInt8(size >> 8), UInt8(size & 255)]
    return [0xFF, 0xD8, 0xFF, 0xDB, 0, 4, 0, 0, 0xFF, 0xC0, 0, 17, 8] + side + side
      + [3, 1, 0x22, 0, 2, 0x11, 0, 3, 0x11, 0, 0xFF, 0xC4, 0, 4, 0, 0]
      + [0xFF, 0xDA, 0, 12, 3, 1, 0, 2, 0, 3, 0, 0, 63, 0, 0x12, 0xFF, 0, 0x34, 0xFF, 0xD9]
  }
}
