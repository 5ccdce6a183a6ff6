import AvatarCore
import AvatarWorkers
import Glibc
import Synchronization
import Testing

/// What the tests share: a pool whose workers are the probe, which does what its source says.
enum TestPool {
  /// The probe beside this test program, or a link to it under another name: what it does at its start depends on the name.
  static func executable(_ name: String = "confinement-probe") throws -> String {
    let probe = try directory() + "/confinement-probe"
    guard name != "confinement-probe" else { return probe }
    let link = try directory() + "/probe-links-\(getpid())/" + name
    mkdir(try directory() + "/probe-links-\(getpid())", 0o755)
    try #require(symlink(probe, link) == 0 || errno == EEXIST, "link \(link)")
    return link
  }

  /// Where the build puts programs.
  static func directory() throws -> String {
    var path = [CChar](repeating: 0, count: 4096)
    try #require(readlink("/proc/self/exe", &path, path.count - 1) > 0)
    let text = String(decoding: path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return try #require(
      text.split(separator: "/").dropLast().joined(separator: "/").isEmpty
        ? nil : "/" + text.split(separator: "/").dropLast().joined(separator: "/"))
  }

  /// Runs a test on a started pool and stops it afterwards.
  static func with<Result>(
    count: Int = 1, queue: Int = 64, name: String = "confinement-probe", log: RecordingLog = RecordingLog(),
    adjust: (inout WorkerPoolOptions) -> Void = { _ in }, _ body: (WorkerPool) async throws -> Result
  ) async throws -> Result {
    var options = WorkerPoolOptions(count: count, queue: queue, executable: try executable(name), log: log)
    adjust(&options)
    let pool = try WorkerPool(options)
    let result: Result
    do {
      try await pool.start()
      result = try await body(pool)
    } catch {
      await pool.stop()
      throw error
    }
    await pool.stop()
    return result
  }

  /// Waits until something that must come to pass has; fails after half a minute, which only a broken pool takes.
  static func eventually(
    _ what: String, sourceLocation: SourceLocation = #_sourceLocation, _ condition: () -> Bool
  ) async throws {
    let deadline = Deadline.after(.seconds(30))
    while !condition() {
      try #require(!deadline.hasPassed, "never: \(what)", sourceLocation: sourceLocation)
      try await Task.sleep(for: .milliseconds(1))
    }
  }
}

extension WorkerPool {
  /// Sends an order to a worker.
  func order(
    _ text: String, padding: Int = 0, timeout: Duration = .seconds(30), priority: WorkPriority = .interactive,
    deadline: Duration = .seconds(60), recipe: Recipe = Recipe()
  ) async -> Result<NormalizedAvatar, AvatarError> {
    do {
      return .success(
        try await normalize(
          SourceBytes(Array(text.utf8) + [UInt8](repeating: UInt8(ascii: "\n"), count: padding)), recipe: recipe,
          limits: ImageLimits(decodeTimeout: timeout), priority: priority, deadline: .after(deadline)))
    } catch {
      return .failure(error)
    }
  }

  /// The one code that an order ends with; nil for an avatar.
  func code(_ text: String, timeout: Duration = .seconds(30)) async -> AvatarError.Code? {
    await order(text, timeout: timeout).failure?.code
  }
}

extension Result {
  var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
  var isSuccess: Bool { failure == nil }
}

/// Keeps every line.
final class RecordingLog: EventLogging {
  private let kept = Mutex<[String]>([])

  var lines: [String] { kept.withLock { $0 } }

  func isEnabled(_ level: LogLevel) -> Bool { true }

  func log(_ level: LogLevel, _ event: StaticString, _ fields: [(StaticString, LogValue)]) {
    let line = "\(level.rawValue) \(event)" + fields.map { " \($0.0)=\($0.1)" }.joined()
    kept.withLock { $0.append(line) }
  }
}

/// Set once, seen by all.
final class Flag: Sendable {
  private let value = Atomic(false)

  var isSet: Bool { value.load(ordering: .acquiring) }
  func set() { value.store(true, ordering: .releasing) }
}
