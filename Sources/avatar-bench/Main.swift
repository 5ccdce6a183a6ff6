import AvatarBench
import AvatarCore
import Glibc

/// The program: reads its command line, runs the command, ends with its status.
@main
enum Main {
  static func main() {
    signal(SIGPIPE, SIG_IGN)
    let command: BenchCommand
    do throws(BenchUsage) {
      command = try BenchCommand(Array(CommandLine.arguments.dropFirst()))
    } catch {
      Terminal.error("avatar-bench: \(error.message)\n")
      exit(2)
    }
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&signals, number) }
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    let watched = signals
    // What was started ends with us, also where we are interrupted.
    let watch = try? NamedThread("bench-signals") {
      var (watched, number) = (watched, Int32(0))
      while sigwait(&watched, &number) != 0 {}
      BenchRunner.killAll()
      exit(128 + number)
    }
    watch?.detach()
    exit(command.run())
  }
}
