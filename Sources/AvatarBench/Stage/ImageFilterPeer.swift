import AvatarCore
import Glibc

/// nginx's `image_filter` behind its `proxy_cache`, the peer that misses of 1024² JPEGs are held against: what is asked of ours is asked where this one takes
/// 12 ms for the same picture, so it is measured in the same rounds.
final class ImageFilterPeer {
  /// Where it listens.
  let endpoint: Endpoint
  private let process: ChildProcess

  private static let program = "/usr/sbin/nginx"
  private static let module = "/usr/lib/nginx/modules/ngx_http_image_filter_module.so"

  private static let parts = ["proxy-cache.conf", "image-filter.conf"]

  /// Why there is none to be had on this machine; nil if there is.
  static func missing(_ configuration: String) -> String? {
    for path in [program, module] + (["main.conf"] + parts).map({ "\(configuration)/\($0)" })
    where access(path, R_OK) != 0 {
      return "\(path) is not there (.ci/setup bench, and start from the package's directory)"
    }
    return nil
  }

  /// Starts it from the files in `configuration`; its own go into `directory`.
  init(configuration: String, directory: String) throws(AvatarError) {
    let port = try FreePort.find()
    endpoint = Endpoint(loopback: port)
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    var behind = try FreePort.find()
    while behind == port { behind = try FreePort.find() }
    let parts = Self.parts.compactMap { Files.text("\(configuration)/\($0)") }
    var text = (Files.text("\(configuration)/main.conf") ?? "").replacing("@HTTP", with: parts.joined())
    for (mark, value) in [
      ("@USER", geteuid() == 0 ? "user root;" : ""), ("@MODULE", "load_module \(Self.module);"),
      ("@CORES", "\(Machine.here.cores)"), ("@DESCRIPTORS", "\(min(limit.rlim_max, 1 << 20))"), ("@OPEN", "1000"),
      ("@FOLDER", directory),
      ("@PORT", "\(port)"), ("@BEHIND", "\(behind)"),
    ] { text = text.replacing(mark, with: value) }
    guard Files.write(text, to: "\(directory)/nginx.conf") else {
      throw AvatarError(.internalFault, "\(directory) takes no files")
    }
    process = try ChildProcess(
      Self.program, ["-c", "\(directory)/nginx.conf", "-e", "\(directory)/error.log"], log: "\(directory)/nginx.log",
      leadsGroup: true)
    let deadline = Deadline.after(.seconds(10))
    while PlainClient(endpoint).ask("GET", "/") == nil {
      guard process.isRunning, !deadline.hasPassed else {
        throw AvatarError(.internalFault, "nginx: \(Files.text("\(directory)/nginx.log") ?? "")")
      }
      Pause.milliseconds(2)
    }
  }

  /// Asked to, its first process waits for the others.
  deinit { process.end(.terminate) }

  /// The path at which it makes an avatar of the picture at `url`.
  func path(of url: String) -> String { "/" + url.dropFirst("http://".count) }

  /// Its processes.
  var tree: ProcessTree { ProcessTree(root: process.identifier) }
}
