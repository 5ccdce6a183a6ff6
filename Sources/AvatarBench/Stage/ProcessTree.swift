import AvatarCore
import Glibc

/// What a program and the processes it started use, from /proc.
struct ProcessTree {
  /// This process.
  static var ours: ProcessTree { ProcessTree(root: getpid()) }

  let root: Int32

  /// The root and all below it that run now.
  var processes: [Int32] {
    var found = [root]
    var next = 0
    while next < found.count {
      found += Self.children(of: found[next])
      next += 1
    }
    return found
  }

  /// CPU time in nanoseconds of the root and of everything below it, what has ended and was waited for included.
  var cpu: UInt64 {
    processes.reduce(0) { sum, process in
      sum + (Nanoseconds.ofProcess(process) ?? 0) + Self.ofEndedChildren(process)
    }
  }

  /// Private memory (RssAnon) of the root in bytes.
  var rootMemory: Int { Self.privateMemory(root) }

  /// Private memory of the largest process below the root in bytes.
  var largestChildMemory: Int { processes.dropFirst().map(Self.privateMemory).max() ?? 0 }

  /// Open descriptors of the root.
  var descriptors: Int { Files.names(in: "/proc/\(root)/fd").count }

  private static func children(of process: Int32) -> [Int32] {
    Files.names(in: "/proc/\(process)/task").flatMap { task in
      (Files.text("/proc/\(process)/task/\(task)/children") ?? "").split(separator: " ").compactMap { Int32($0) }
    }
  }

  static func privateMemory(_ process: Int32) -> Int {
    for line in (Files.text("/proc/\(process)/status") ?? "").split(separator: "\n") where line.hasPrefix("RssAnon:") {
      return (line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) } ?? 0) * 1024
    }
    return 0
  }

  /// `cutime` and `cstime` of proc(5), in ticks of ten milliseconds: what workers used that have ended.
  private static func ofEndedChildren(_ process: Int32) -> UInt64 {
    guard let text = Files.text("/proc/\(process)/stat"), let name = text.lastIndex(of: ")") else { return 0 }
    let fields = text[name...].split(separator: " ")
    guard fields.count > 15, let user = UInt64(fields[14]), let system = UInt64(fields[15]) else { return 0 }
    return (user + system) * (1_000_000_000 / UInt64(sysconf(Int32(_SC_CLK_TCK))))
  }
}
