import AvatarBench
import AvatarCore
import BenchOrigin
import BenchPictures
import Glibc

/// `origin`: the benchmark's origin until its standard input ends; its port is the one line that it prints.
struct OriginCommand {
  let kinds: [PictureKind]
  let seed: UInt64
  let port: UInt16
  /// Pictures of each kind.
  let variations: Int

  func run() -> Int32 {
    do {
      let origin = try BenchOrigin(port: port, pictures: PictureBook(seed: seed, kinds: kinds, variations: variations))
      Terminal.out("\(origin.boundPort)\n")
      let watch = try NamedThread("bench-input") {
        var byte: UInt8 = 0
        while read(0, &byte, 1) > 0 {}
        origin.stop()
      }
      watch.detach()
      // Elsewhere it would be another machine: it does not take a core from the one that is measured.
      _ = setpriority(Int32(PRIO_PROCESS.rawValue), 0, 5)
      origin.run()
      return 0
    } catch {
      Terminal.error("avatar-bench: origin: \(error)\n")
      return 3
    }
  }
}
