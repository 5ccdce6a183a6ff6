import AvatarCore
import AvatarWorkers
import CProbe
import Glibc

/// A worker that does what its input tells it to: the tests' stand-in for a picture that has taken a worker over, and for a worker that
/// cannot start. Started by hand it reports on its own confinement or plays a server that is about to be killed.
@main
enum Main {
  static func main() async {
    let words = CommandLine.arguments
    switch words.dropFirst().first {
    case "report": ConfinementSelfReport.write(memoryBytes: 768 << 20)
    case "serve": await DoomedServer.serve(executable: words[0])
    case "decode": await DecodeRun.run(Array(words.dropFirst(2)))
    case "churn": await DoomedServer.churn(executable: words[0])
    default: work(name: words[0].split(separator: "/").last.map(String.init) ?? "", words: Array(words.dropFirst()))
    }
  }

  private static func work(name: String, words: [String]) {
    guard let arguments = WorkerArguments(words: words), var session = WorkerSession() else { exit(2) }
    switch name {
    case "crash-at-start": abort()
    case "exit-at-start":
      _ = write(2, "no decoder here\n", 16)
      exit(7)
    case "never-ready": probe_sleep()
    case "babble-at-start": FakeDecoder.writeRaw(Array("HTTP/1.1 200 OK\r\n\r\n".utf8))
    case "unconfined": session.announce(ConfinementReport())
    default:
      var confinement = Confinement(memoryBytes: arguments.memoryBytes)
      confinement.narrow()
      probe_listen()
      confinement.lock()
      session.announce(confinement.report)
    }
    let decoder = FakeDecoder()
    exit(session.run(decoder.normalize) ? 0 : 1)
  }
}
