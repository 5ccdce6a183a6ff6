import AvatarBench
import AvatarCore

/// `fill`: makes a cache full of avatars, and prints their signed paths.
struct FillCommand {
  private let directory: String
  private let avatar: String
  private let keys: String
  private let count: Int

  init(_ arguments: [String]) throws(BenchUsage) {
    let read = try OptionReading(arguments, values: ["directory", "avatar", "count", "keys"], flags: [])
    guard read.operands.isEmpty, let directory = read["directory"], let avatar = read["avatar"], let keys = read["keys"]
    else { throw BenchUsage(message: "fill needs --directory PATH, --avatar FILE and --keys FILE") }
    self.directory = directory
    self.avatar = avatar
    self.keys = keys
    count = Int(try read.number("count", 1...10_000_000, or: 100_000))
  }

  func run() -> Int32 {
    guard let bytes = Files.bytes(avatar), Files.write(FilledCache.signingKey + "\n", to: keys) else {
      Terminal.error("avatar-bench: \(avatar) cannot be read or \(keys) not be written\n")
      return 2
    }
    do {
      let paths = try FilledCache.fill(directory, count: count, avatar: bytes)
      Terminal.out(paths.joined(separator: "\n") + "\n")
      return 0
    } catch {
      Terminal.error("avatar-bench: fill: \(error.detail)\n")
      return 3
    }
  }
}
