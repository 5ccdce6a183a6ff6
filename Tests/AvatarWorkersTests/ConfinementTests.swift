import AvatarCore
import AvatarWorkers
import CProbe
import Glibc
import Testing

/// From inside a confined worker: everything that a picture could try after taking it over.
struct ConfinementTests {
  /// What stops it: an error, or the end of the worker.
  enum Stop: Sendable {
    case refused([Int32])
    case ended(by: String)
    case works
  }

  static let attempts: [(String, Stop)] = [
    // Told that there is nothing, as a decoder that looks for a font must be.
    ("open a file", .refused([EACCES])), ("open a directory", .refused([EACCES])),
    ("open its own memory", .refused([EACCES])), ("create a file", .refused([EACCES])),
    ("stat a file", .refused([EACCES])), ("read a link", .refused([EACCES])),
    ("unlink a file", .refused([EPERM])), ("make a directory", .refused([EPERM])),
    ("change directory", .refused([EPERM])), ("make a memory file", .refused([EPERM])),
    ("watch files", .refused([EPERM])),
    ("make an IPv4 socket", .refused([EPERM])), ("make a local socket", .refused([EPERM])),
    ("make a netlink socket", .refused([EPERM])), ("make a socket pair", .refused([EPERM])),
    ("connect", .refused([EPERM])), ("pass a descriptor", .refused([EPERM])),
    ("execute a program", .ended(by: "the call filter")), ("fork", .ended(by: "the call filter")),
    ("clone a process", .ended(by: "the call filter")), ("clone into a namespace", .refused([EPERM])),
    ("clone3", .refused([ENOSYS])), ("start a thread", .works),
    ("trace its parent", .ended(by: "the call filter")), ("read its parent's memory", .ended(by: "the call filter")),
    ("signal its parent", .refused([EPERM])), ("signal its parent's thread", .refused([EPERM])),
    ("open its parent", .refused([EPERM])), ("take a descriptor", .ended(by: "the call filter")),
    ("have the socket signal", .refused([EPERM])), ("read another descriptor", .refused([EBADF])),
    ("raise its priority", .refused([EPERM])), ("find an environment", .refused([ENOENT])),
    ("map code", .refused([EPERM])), ("make memory code", .refused([EPERM])),
    ("allocate past its limit", .refused([ENOMEM])), ("raise its memory limit", .refused([EPERM])),
    ("become dumpable", .refused([EPERM])), ("survive its parent", .refused([EPERM])),
    ("become root", .ended(by: "the call filter")), ("make a namespace", .ended(by: "the call filter")),
    ("load a kernel program", .ended(by: "the call filter")), ("make a ring", .ended(by: "the call filter")),
    ("take page faults", .ended(by: "the call filter")), ("count performance events", .ended(by: "the call filter")),
    ("add a key", .ended(by: "the call filter")), ("ask a device", .refused([ENOTTY])),
    ("set another alarm", .refused([EPERM])), ("use another ABI", .ended(by: "the call filter")),
  ]

  @Test func `every attempt of the probe is judged here`() {
    var known: [String] = []
    while let name = probe_attempt(Int32(known.count)) { known.append(String(cString: name)) }
    #expect(known == Self.attempts.map(\.0))
  }

  @Test(arguments: attempts)
  func `a worker that a picture has taken over is stopped`(attempt: String, stop: Stop) async throws {
    try await TestPool.with { pool in
      let fault = await pool.order("try " + attempt).failure
      switch stop {
      case .works: #expect(fault?.detail == "it worked", "\(attempt)")
      case .refused(let numbers):
        #expect(numbers.map { "errno \($0)" }.contains(fault?.detail ?? ""), "\(attempt): \(fault?.detail ?? "")")
        #expect(pool.statistics().restarts == [:], "\(attempt)")
      case .ended(let by):
        #expect(
          fault?.code == .imageCorrupt && fault?.detail.contains("ended by " + by) == true,
          "\(attempt): \(fault?.detail ?? "")")
      }
      #expect(await pool.code("picture") == nil, "\(attempt)")
    }
  }

  /// Without the filter every attempt that can work does: the table above would notice a probe that never succeeds.
  @Test(arguments: [
    "open a file", "stat a file", "make an IPv4 socket", "make a socket pair", "fork", "map code", "make a memory file",
    "become dumpable", "signal its parent",
  ])
  func `the same attempt works where nothing is confined`(attempt: String) async throws {
    try await TestPool.with(name: "unconfined", adjust: { $0.confinement = .preferred }) { pool in
      #expect(await pool.order("try " + attempt).failure?.detail == "it worked", "\(attempt)")
    }
  }

  struct Setting: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let prefix: [String]
    let mayMiss: Set<String>
  }

  @Test(
    arguments: [
      Setting(testDescription: "as whoever runs the tests", prefix: [], mayMiss: ["own-network", "landlock"]),
      Setting(
        testDescription: "as an ordinary user",
        prefix: ["/usr/bin/setpriv", "--reuid=1000", "--regid=1000", "--clear-groups"],
        mayMiss: ["own-network", "landlock"]),
      Setting(
        testDescription: "as root of a container that has no capability",
        prefix: ["/usr/bin/setpriv", "--bounding-set=-all", "--inh-caps=-all"],
        mayMiss: ["own-network", "landlock", "ordinary-user"]),
    ])
  func `the required measures hold`(setting: Setting) throws {
    try #require(setting.prefix.isEmpty || geteuid() == 0, "only root can change into another user")
    let (status, output) = try run(setting.prefix + [try TestPool.executable(), "report"])
    let lines = output.split(separator: "\n").map(String.init)
    #expect(status == 0 && lines.last == "holds", "\(setting.testDescription): \(output)")
    let missing = lines.dropLast().filter { !$0.hasSuffix(" 0") }
    for line in missing {
      let measure = line.split(separator: " ")[0]
      #expect(setting.mayMiss.contains(String(measure)), "\(setting.testDescription): \(line)")
    }
    #expect(lines.count == ConfinementMeasure.allCases.count + 1)
  }

  @Test func `workers die with the server, whatever kills it`() async throws {
    let server = try Child([try TestPool.executable(), "serve"])
    let workers = try [server.readLine(), server.readLine()].map { try #require(Int32($0), "\($0)") }
    #expect(workers.allSatisfy { kill($0, 0) == 0 })
    try #require(kill(server.process, SIGKILL) == 0)
    #expect(server.wait() == SIGKILL)
    try await TestPool.eventually("the workers are gone: \(workers)") {
      workers.allSatisfy { kill($0, 0) < 0 && errno == ESRCH || isZombie($0) }
    }
  }

  @Test func `fifty deaths leave no descriptor behind`() throws {
    let (status, output) = try run([try TestPool.executable(), "churn"])
    let counts = output.split(whereSeparator: \.isWhitespace)
    #expect(status == 0 && counts.count == 2 && counts.first == counts.last, "\(output)")
  }

  /// Dead, and waited for by nobody: where the machine's first process does not collect orphans.
  private func isZombie(_ process: Int32) -> Bool {
    let file = open("/proc/\(process)/stat", O_RDONLY)
    guard file >= 0 else { return errno == ENOENT }
    defer { close(file) }
    var text = [UInt8](repeating: 0, count: 512)
    let count = max(0, read(file, &text, text.count))
    return String(decoding: text[..<count], as: UTF8.self).contains(") Z ")
  }

  private func run(_ words: [String]) throws -> (status: Int32, output: String) {
    let child = try Child(words)
    let output = child.readAll()
    return (child.wait(), output)
  }
}
