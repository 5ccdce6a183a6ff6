import AvatarCore
import AvatarHTTP
import AvatarService

/// `serve --demo`: a sample origin on loopback with a few avatars of its own making, so that there is something to see without a network.
final class DemoOrigin: Sendable {
  private let server: HTTPServer

  init() throws(AvatarError) {
    do {
      server = try Self.start(port: 8082)
    } catch {
      server = try Self.start(port: 0)  // Taken: any free one, and the invitation says which.
    }
  }

  private static func start(port: UInt16) throws(AvatarError) -> HTTPServer {
    try HTTPServer(
      options: HTTPServerOptions(side: "demo", port: port, threads: 1, maxConnections: 256), handler: DemoPictures(),
      problem: { Problem.reply($0) }, log: SilentLog())
  }

  func close() { server.stopAccepting() }

  /// What to open in a browser.
  func invitation(base: String) -> String {
    var text = "\nA sample origin runs on loopback. Open one of these:\n"
    for name in DemoPictures.names {
      text += "  \(base)/avatar?src=http%3A%2F%2F127.0.0.1%3A\(server.boundPort)%2F\(name)\n"
    }
    return text + "\n"
  }

  private struct SilentLog: EventLogging {
    func isEnabled(_ level: LogLevel) -> Bool { false }
    func log(_ level: LogLevel, _ event: StaticString, _ fields: [(StaticString, LogValue)]) {}
  }
}

/// The sample origin's pictures: two drawings, and a photograph's stand-in as PNG.
struct DemoPictures: HTTPHandling {
  static let names = ["alice.svg", "team.svg", "sunset.png"]

  func respond(to request: HTTPRequest) -> HTTPDisposition {
    switch request.path {
    case "/alice.svg": .reply(picture(Array(Self.alice.utf8), "image/svg+xml"))
    case "/team.svg": .reply(picture(Array(Self.team.utf8), "image/svg+xml"))
    case "/sunset.png": .reply(picture(DemoPNG.sunset(side: 512), "image/png"))
    default: .reply(Problem.reply(AvatarError(.notFound)))
    }
  }

  private func picture(_ bytes: [UInt8], _ type: String) -> HTTPReply {
    HTTPReply(
      status: 200, headers: [HeaderField("Content-Type", type), HeaderField("Cache-Control", "max-age=60")], body: bytes
    )
  }

  private static let alice = """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"><rect width="100" height="100" fill="#fde2c8"/>\
    <circle cx="50" cy="112" r="42" fill="#3b6ea5"/><circle cx="50" cy="45" r="24" fill="#f2b98a"/>\
    <path d="M24 46a26 27 0 0 1 52 0q-8-18-26-18t-26 18z" fill="#5a3320"/><circle cx="42" cy="46" r="2.6" fill="#222"/>\
    <circle cx="58" cy="46" r="2.6" fill="#222"/><path d="M41 56q9 8 18 0" stroke="#a0413a" stroke-width="2.5" fill="none"/></svg>
    """
  private static let team = """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 80"><rect width="120" height="80" fill="#e8f0e4"/>\
    <g fill="#4b8b5a"><circle cx="36" cy="30" r="11"/><path d="M16 74a20 26 0 0 1 40 0z"/></g>\
    <g fill="#d98a3d"><circle cx="84" cy="30" r="11"/><path d="M64 74a20 26 0 0 1 40 0z"/></g>\
    <g fill="#7b4fa3"><circle cx="60" cy="38" r="13"/><path d="M37 84a23 28 0 0 1 46 0z"/></g></svg>
    """
}
