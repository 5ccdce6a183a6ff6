import AvatarCore

/// libmicrohttpd alone with the head and the body of a real hit: `bare-responder`, beside this program.
struct BareResponder {
  let endpoint: Endpoint
  let book: RequestBook
  private let process: ChildProcess

  /// Takes the answer to `path` from `server` for its model.
  init(like server: Endpoint, path: String, directory: String) throws(AvatarError) {
    guard let answer = PlainClient(server).ask("GET", path), answer.status == 200 else {
      throw AvatarError(.internalFault, "no answer to take for a model")
    }
    // The library writes these three itself.
    let own = ["content-length:", "date:", "connection:"]
    let fields = answer.head.split(separator: "\r\n").dropFirst().filter { line in
      !own.contains { line.lowercased().hasPrefix($0) }
    }
    guard Files.write(fields.joined(separator: "\n") + "\n", to: "\(directory)/bare-head"),
      Files.write(answer.body, to: "\(directory)/bare-body")
    else { throw AvatarError(.internalFault, "\(directory) takes no files") }
    let port = try FreePort.find()
    process = try ChildProcess(
      Program.beside("bare-responder"), ["\(port)", "\(directory)/bare-head", "\(directory)/bare-body"],
      log: "\(directory)/bare.log")
    endpoint = Endpoint(loopback: port)
    book = RequestBook(host: "\(endpoint)", targets: [path])
    let deadline = Deadline.after(.seconds(10))
    while PlainClient(endpoint).ask("GET", "/") == nil {
      guard process.isRunning, !deadline.hasPassed else {
        throw AvatarError(.internalFault, "bare-responder: \(Files.text("\(directory)/bare.log") ?? "")")
      }
      Pause.milliseconds(2)
    }
  }

  /// Its process.
  var tree: ProcessTree { ProcessTree(root: process.identifier) }
}
