import AvatarCore
import AvatarWorkers
import Glibc

/// A pool of real workers over real files: `decode WORKER ROUNDS FILE…` sends every file so many times, says what came of each, and at
/// the end how much memory the workers hold at rest.
enum DecodeRun {
  private struct Output: EventLogging {
    func isEnabled(_ level: LogLevel) -> Bool { true }
    func log(_ level: LogLevel, _ event: StaticString, _ fields: [(StaticString, LogValue)]) {
      ConfinementSelfReport.line("# \(event) \(fields.map { "\($0.0)=\($0.1)" }.joined(separator: " "))")
    }
  }

  static func run(_ words: [String]) async {
    guard words.count >= 3, let rounds = Int(words[1]) else { exit(2) }
    do {
      let pool = try WorkerPool(WorkerPoolOptions(count: 2, executable: words[0], log: Output()))
      let began = ContinuousClock.now
      try await pool.start()
      ConfinementSelfReport.line("# up after \((ContinuousClock.now - began).milliseconds) ms")
      let files = words.dropFirst(2).map { ($0, contents(of: $0)) }
      while pool.statistics().up < 2 { usleep(1000) }
      report("at start", pool)
      for round in 0..<rounds {
        for (path, bytes) in files {
          let line = await decode(bytes, pool)
          if round == 0 { ConfinementSelfReport.line("\(line) \(path)") }
        }
      }
      report("after \(rounds * files.count) images", pool)
      ConfinementSelfReport.line("# restarts \(pool.statistics().restarts)")
      await pool.stop()
      exit(0)
    } catch {
      ConfinementSelfReport.line("\(error)")
      exit(1)
    }
  }

  private static func decode(_ bytes: [UInt8], _ pool: WorkerPool) async -> String {
    do {
      let avatar = try await pool.normalize(
        SourceBytes(bytes), recipe: Recipe(), limits: ImageLimits(), priority: .interactive,
        deadline: .after(.seconds(20)))
      return "ok \(avatar.facts.format) \(avatar.jpeg.count) bytes, CPU \(avatar.decoded)"
    } catch {
      return "\(error.code.rawValue) (\(error.detail))"
    }
  }

  private static func report(_ moment: String, _ pool: WorkerPool) {
    for process in pool.statistics().processes {
      let fields = String(decoding: contents(of: "/proc/\(process)/statm"), as: UTF8.self).split(separator: " ")
      let kibibytes = fields.prefix(3).map { (Int($0) ?? 0) * 4 }
      ConfinementSelfReport.line("# \(moment): worker \(process) size/resident/shared KiB \(kibibytes)")
    }
  }

  private static func contents(of path: String) -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return [] }
    defer { close(file) }
    var all: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = read(file, &chunk, chunk.count), count > 0 { all += chunk[..<count] }
    return all
  }
}
