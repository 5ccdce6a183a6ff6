import AvatarCore
import Glibc

/// An `avatar-server` that serves for the length of a scenario, on free ports of loopback and with a cache of its own.
final class ServerUnderTest {
  /// Its public side.
  let publicSide: Endpoint
  /// Its control side.
  let control: Endpoint
  /// Its cache and its log.
  let directory: String
  private let process: ChildProcess

  /// Starts `program` and waits until it is ready. `settings` are flags without their dashes: `["fetch-max-bytes": "1MiB"]`.
  init(program: String, directory: String, settings: [String: String]) throws(AvatarError) {
    publicSide = Endpoint(loopback: try FreePort.find())
    control = Endpoint(loopback: try FreePort.find())
    self.directory = directory
    var flags = [
      "listen": "\(publicSide)", "control-listen": "\(control)", "cache-directory": "\(directory)/cache",
      "fetch-allow-addresses": "127.0.0.0/8", "log-level": "warning",
    ]
    flags.merge(settings) { _, new in new }
    // The machine's own configuration file has no part in a measurement.
    let arguments =
      ["serve", "--config", "\(directory)/bench.json5"]
      + flags.sorted { $0.key < $1.key }.map { "--\($0.key)=\($0.value)" }
    guard Files.write("{}\n", to: "\(directory)/bench.json5") else {
      throw AvatarError(.internalFault, "\(directory) takes no files")
    }
    process = try ChildProcess(program, arguments, log: "\(directory)/server.log")
    try waitUntilReady()
  }

  /// The server's processes.
  var tree: ProcessTree { ProcessTree(root: process.identifier) }

  /// Whether it still runs.
  var isRunning: Bool { process.isRunning }

  /// Ends it as an operator would, with a drain.
  func stop() { process.end(.terminate) }

  /// A counter or gauge of `/metrics` with all its labels summed; `labels` are parts that a line must have. 0 where there is none.
  func metric(_ name: String, _ labels: String...) -> Double {
    guard let text = PlainClient(control).ask("GET", "/metrics")?.text else { return 0 }
    return text.split(separator: "\n").reduce(0) { sum, line in
      guard line.hasPrefix("\(name){") || line.hasPrefix("\(name) "), labels.allSatisfy({ line.contains($0) }) else {
        return sum
      }
      return sum + (line.split(separator: " ").last.flatMap { Double($0) } ?? 0)
    }
  }

  private func waitUntilReady() throws(AvatarError) {
    let deadline = Deadline.after(.seconds(30))
    while !deadline.hasPassed {
      guard process.isRunning else { break }
      if PlainClient(control, limit: .seconds(1)).ask("GET", "/readyz")?.status == 200 { return }
      Pause.milliseconds(2)
    }
    let log = (Files.text("\(directory)/server.log") ?? "").suffix(600)
    throw AvatarError(.internalFault, "the server did not get ready: \(log)")
  }
}

/// Ports that nobody has.
enum FreePort {
  /// One that was free a moment ago.
  static func find() throws(AvatarError) -> UInt16 {
    let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard socket >= 0 else { throw AvatarError(.internalFault, "socket: \(errno)") }
    defer { close(socket) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
        bind(socket, raw, length) == 0 ? getsockname(socket, raw, &length) : -1
      }
    }
    guard result == 0 else { throw AvatarError(.internalFault, "no free port: \(errno)") }
    return UInt16(bigEndian: address.sin_port)
  }
}
