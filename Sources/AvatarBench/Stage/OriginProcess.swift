import AvatarCore

/// The benchmark's own origin in a process of its own: `avatar-bench origin`.
final class OriginProcess {
  /// Where it listens.
  let endpoint: Endpoint
  private let process: ChildProcess
  private let control: PlainClient

  init(kinds: [String], seed: UInt64, variations: Int, directory: String) throws(AvatarError) {
    process = try ChildProcess(
      "/proc/self/exe",
      ["origin", "--kinds", kinds.joined(separator: ","), "--seed", "\(seed)", "--variations", "\(variations)"],
      log: "\(directory)/origin.log", reads: true)
    // A 12-megapixel photo takes a second or two to make.
    guard let line = process.line(within: .seconds(60)), let port = UInt16(line) else {
      throw AvatarError(.internalFault, "the origin did not start: \(Files.text("\(directory)/origin.log") ?? "")")
    }
    endpoint = Endpoint(loopback: port)
    control = PlainClient(endpoint)
  }

  /// The URL of a picture; `options` as `BenchOrigin` takes them, such as `delay=20ms`.
  func url(_ kind: String, _ group: String, _ name: some CustomStringConvertible, _ options: String = "") -> String {
    "http://\(endpoint)/\(kind)/\(group)/\(name)\(options.isEmpty ? "" : "?\(options)")"
  }

  /// The bytes of some pictures of a kind.
  func pictures(_ kind: String, count: Int) throws(AvatarError) -> [[UInt8]] {
    var pictures: [[UInt8]] = []
    for number in 0..<count { pictures.append(try control.get("/\(kind)/pictures/\(number)")) }
    return pictures
  }

  /// Requests for the pictures of a group so far.
  func requests(_ kind: String, _ group: String) throws(AvatarError) -> Int {
    let text = String(decoding: try control.get("/-/counts?group=\(kind)/\(group)"), as: UTF8.self)
    guard let number = Int(text.filter(\.isNumber)) else { throw AvatarError(.internalFault, "counts: \(text)") }
    return number
  }

  /// From now on a group's requests are treated by these options; empty for none.
  func behave(_ kind: String, _ group: String, _ options: String) throws(AvatarError) {
    _ = try control.get("/-/behave?group=\(kind)/\(group)\(options.isEmpty ? "" : "&\(options)")")
  }

  /// From now on a group has other pictures.
  func change(_ kind: String, _ group: String) throws(AvatarError) {
    _ = try control.get("/-/change?group=\(kind)/\(group)")
  }
}
