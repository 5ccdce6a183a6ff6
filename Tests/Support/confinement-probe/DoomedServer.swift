import AvatarCore
import AvatarWorkers
import Glibc

/// A process with a pool of its own: one that is killed while its workers are busy, and one whose workers are killed again and again.
enum DoomedServer {
  private struct Silence: EventLogging {
    func isEnabled(_ level: LogLevel) -> Bool { false }
    func log(_ level: LogLevel, _ event: StaticString, _ fields: [(StaticString, LogValue)]) {}
  }

  /// Keeps two workers asleep in the middle of an image, writes their process numbers and waits to be killed.
  static func serve(executable: String) async {
    guard let pool = await start(executable: executable, count: 2) else { exit(1) }
    for _ in 0..<2 { Task { try await normalize("sleep", pool) } }
    while pool.statistics().busy < 2 { usleep(1000) }
    for process in pool.statistics().processes { ConfinementSelfReport.line(String(process)) }
    while true { pause() }
  }

  /// Has fifty workers die and writes how many descriptors were open before and after.
  static func churn(executable: String) async {
    guard let pool = await start(executable: executable, count: 1) else { exit(1) }
    try? await normalize("picture", pool)
    let before = openDescriptors()
    for _ in 0..<25 { try? await normalize("crash", pool) }
    while pool.statistics().up < 1 { usleep(1000) }
    ConfinementSelfReport.line("\(before) \(openDescriptors())")
    await pool.stop()
    exit(0)
  }

  private static func start(executable: String, count: Int) async -> WorkerPool? {
    do {
      let pool = try WorkerPool(WorkerPoolOptions(count: count, executable: executable, log: Silence()))
      try await pool.start()
      return pool
    } catch {
      ConfinementSelfReport.line(error.detail)
      return nil
    }
  }

  private static func normalize(_ order: String, _ pool: WorkerPool) async throws {
    _ = try await pool.normalize(
      SourceBytes(Array(order.utf8)), recipe: Recipe(), limits: ImageLimits(decodeTimeout: .seconds(60)),
      priority: .interactive,
      deadline: .after(.seconds(60)))
  }

  private static func openDescriptors() -> Int { (0..<1024).count { fcntl(Int32($0), F_GETFD) >= 0 } }
}
