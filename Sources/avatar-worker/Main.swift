import AvatarCore
import AvatarNormalize
import AvatarWorkers
import Glibc

/// A worker's life: give up what the warm-up does not need, warm up, give up the rest, say so, answer until the server hangs up.
@main
enum Main {
  /// Exit statuses, by sysexits.h.
  private enum Status {
    static let done: Int32 = 0
    static let usage: Int32 = 2
    static let protocolBroken: Int32 = 76
    static let unfit: Int32 = 70
    static let unconfined: Int32 = 77
  }

  static func main() {
    guard let arguments = WorkerArguments(words: Array(CommandLine.arguments.dropFirst())),
      var session = WorkerSession()
    else {
      say("avatar-worker is started by avatar-server, never by hand")
      exit(Status.usage)
    }
    var confinement = Confinement(memoryBytes: arguments.memoryBytes)
    confinement.narrow()
    let courtesy = CoreCourtesy()
    let normalizer: Normalizer
    do {
      normalizer = try Normalizer { courtesy.pause() }
    } catch {
      say(error.detail)
      exit(Status.unfit)
    }
    confinement.lock()
    session.announce(confinement.report)
    // The server judges by the report as well; a worker that is not confined does not wait for its verdict.
    if arguments.confinement == .required && !confinement.report.holds { exit(Status.unconfined) }
    let hungUp = session.run { source, recipe, limits throws(AvatarError) in
      courtesy.begin(bytes: source.count)
      return try normalizer.normalize(source, recipe: recipe, limits: limits)
    }
    exit(hungUp ? Status.done : Status.protocolBroken)
  }

  /// One line on standard error, which the server logs.
  private static func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(2, bytes, bytes.count)
  }
}
