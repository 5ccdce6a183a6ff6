import AvatarCore
import CLinux
import Glibc

/// One worker as the supervisor sees it. Used by the supervisor's thread only; closing its descriptors ends the process.
final class WorkerProcess {
  /// An image in hand.
  struct Assignment {
    var job: WorkerJob
    let clock: DecodeClock
    var lookAgain: ContinuousClock.Instant
  }

  /// Where it is in its life.
  enum State {
    /// Warming up; to be ready by then.
    case starting(until: ContinuousClock.Instant)
    case idle
    case busy(Assignment)
  }

  let number: UInt64
  let processNumber: pid_t
  let channel: WorkerChannel
  let process: Descriptor
  var output: WorkerOutput?
  /// What it last said there.
  var lastLine: String?
  var state: State
  var wasReady = false
  /// Images that it has answered or had in hand.
  var served = 0
  /// Resident memory when it came up.
  var memoryAtStart = 0
  /// Why we ended it, where we did.
  private(set) var verdict: WorkerDeath.Verdict?
  /// It closed its socket, which it does only by dying; to be dead by then.
  var goneBy: ContinuousClock.Instant?
  /// Whether `goneBy` was put off once.
  var hadMoreTime = false
  /// To leave as soon as a fresh one is up in its place.
  var isRetiring = false
  private let cpuClock: clockid_t
  private var lastCPU = Duration.zero

  /// Starts a worker with nothing but its socket and its standard error.
  init(number: UInt64, options: WorkerPoolOptions, now: ContinuousClock.Instant) throws(SystemFault) {
    var ours: Int32 = -1
    var theirs: Int32 = -1
    try SystemFault.require("socketpair", linux_channel(&ours, &theirs))
    let channel = WorkerChannel(owning: ours)
    let theirChannel = Descriptor(owning: theirs)
    var reading: Int32 = -1
    var writing: Int32 = -1
    try SystemFault.require("pipe2", linux_pipe(&reading, &writing))
    let output = WorkerOutput(owning: reading)
    let theirOutput = Descriptor(owning: writing)

    let arguments = WorkerArguments(memoryBytes: options.memoryBytes, confinement: options.confinement)
    var pid: pid_t = 0
    let result = Self.withCStrings([options.executable] + arguments.words) { argumentPointers in
      Self.withCStrings(WorkerArguments.environment) { environmentPointers in
        linux_spawn(
          options.executable, argumentPointers, environmentPointers, theirChannel.number, theirOutput.number, &pid)
      }
    }
    try SystemFault.require("posix_spawn", result)
    // The child cannot have been waited for by anybody: its number is its own until we take its status.
    let descriptor = linux_process_descriptor(pid)
    guard descriptor >= 0 else {
      kill(pid, SIGKILL)
      waitpid(pid, nil, 0)
      throw SystemFault(call: "pidfd_open", number: -descriptor)
    }
    process = Descriptor(owning: descriptor)
    var clock = clockid_t()
    cpuClock = clock_getcpuclockid(pid, &clock) == 0 ? clock : CLOCK_PROCESS_CPUTIME_ID
    self.number = number
    processNumber = pid
    self.channel = channel
    self.output = output
    state = .starting(until: now + options.startTimeout)
  }

  /// Whether it may be given an image.
  var isIdle: Bool { if case .idle = state { verdict == nil && goneBy == nil } else { false } }
  /// The image in hand.
  var assignment: Assignment? { if case .busy(let assignment) = state { assignment } else { nil } }
  /// Whether it is on its way out.
  var isLeaving: Bool { verdict != nil || goneBy != nil }

  /// CPU time of its whole life; the last that was seen where the kernel does not tell any more.
  func cpu() -> Duration {
    var time = timespec()
    if clock_gettime(cpuClock, &time) == 0 {
      lastCPU = .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
    return lastCPU
  }

  /// Resident memory in bytes by /proc; nil where that is hidden from us.
  func residentBytes() -> Int? {
    guard let text = record("statm") else { return nil }
    let fields = text.split(separator: " ")
    guard fields.count > 1, let pages = Int(fields[1]) else { return nil }
    return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
  }

  /// Whether the kernel is taking it down (PF_EXITING); false where /proc is hidden from us.
  var isExiting: Bool {
    // The name, in brackets, may hold anything; the flags are the seventh field after it.
    guard let fields = record("stat")?.split(separator: ")").last?.split(separator: " "), fields.count > 6,
      let flags = UInt32(fields[6])
    else { return false }
    return flags & 0x4 != 0
  }

  private func record(_ name: String) -> String? {
    let file = open("/proc/\(processNumber)/\(name)", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    let owner = Descriptor(owning: file)
    var text = [UInt8](repeating: 0, count: 512)
    let count = read(owner.number, &text, text.count)
    return count > 0 ? String(decoding: text[..<count], as: UTF8.self) : nil
  }

  /// Ends it for a reason of ours; the first reason stays.
  func end(_ verdict: WorkerDeath.Verdict) {
    guard self.verdict == nil else { return }
    self.verdict = verdict
    // ESRCH: it is dead already, and its status will say how.
    _ = linux_kill(process.number)
  }

  /// Takes its status if it is dead; nil while it lives.
  func reap() -> WorkerDeath? {
    var exit = linux_exit()
    let result = linux_reap(process.number, &exit)
    // ECHILD: somebody else in this process waits for all children. It is dead all the same, and nobody knows how.
    guard exit.has_ended != 0 || result != 0 else { return nil }
    let ending = exit.has_ended == 0 || exit.by_signal != 0
    return WorkerDeath(
      verdict: verdict, ending: ending ? .signalled(exit.has_ended == 0 ? SIGKILL : exit.status) : .exited(exit.status),
      wasReady: wasReady)
  }

  private static func withCStrings<Result>(
    _ words: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    var pointers = words.map { strdup($0) }
    pointers.append(nil)
    defer { for pointer in pointers { free(pointer) } }
    return body(pointers)
  }
}
