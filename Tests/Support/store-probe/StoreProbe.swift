import AvatarCore
import AvatarCrypto
import AvatarStore
import Glibc
import Synchronization

/// A process of its own for tests of the disk store: it can be killed, can share a directory and can run on a disk of its own.
///
///     store-probe churn DIRECTORY SEED MAXBYTES COUNT   random changes; prints `ready`, at the end `failed N`
///     store-probe full DIRECTORY                        a disk that is full, then is not
///     store-probe readonly DIRECTORY                    a disk that takes no writes, then does
///     store-probe purge DIRECTORY PATTERN               takes the hosts that fit out; prints how many and how long
///     store-probe first DIRECTORY KEY                   opens, looks one key up; prints times and memory
///
/// Exit 0 if all was as it should be, else 1 and what was not on standard error.
@main
enum StoreProbe {
  static func main() async {
    let arguments = CommandLine.arguments.dropFirst()
    switch (arguments.first, arguments.dropFirst().map { $0 }) {
    case ("churn", let rest) where rest.count == 4: await churn(rest)
    case ("full", let rest) where rest.count == 1: await FaultyDisk(directory: rest[0]).fill()
    case ("readonly", let rest) where rest.count == 1: await FaultyDisk(directory: rest[0]).protect()
    case ("first", let rest) where rest.count == 2: await first(rest[0], rest[1])
    case ("purge", let rest) where rest.count == 2: await purge(rest[0], rest[1])
    default: fail("usage: store-probe churn|full|readonly|purge|first …")
    }
  }

  static func options(_ directory: String, maxBytes: Int, log: any EventLogging = SilentLog()) -> DiskStoreOptions {
    DiskStoreOptions(
      directory: directory, maxBytes: maxBytes, hashing: OpenSSLHashing(), clock: RealClock(), log: log,
      scrubBytesPerSecond: 0)
  }

  private static func churn(_ arguments: [String]) async {
    guard let seed = UInt64(arguments[1]), let maxBytes = Int(arguments[2]), let count = Int(arguments[3]) else {
      fail("churn takes numbers")
    }
    let store = await DiskStore.open(options(arguments[0], maxBytes: maxBytes))
    say("ready")
    let failed = await withTaskGroup(of: Int.self) { group in
      for lane in 0..<4 {
        group.addTask { await Churn(store: store, seed: seed &* 4 &+ UInt64(lane)).run(count / 4) }
      }
      return await group.reduce(0, +)
    }
    await store.close()
    say("failed \(failed)")
  }

  private static func first(_ directory: String, _ hex: String) async {
    guard let digest = Digest256(hex: hex) else { fail("a key has 64 digits") }
    let clock = ContinuousClock()
    let before = clock.now
    let store = await DiskStore.open(options(directory, maxBytes: 10 << 30))
    let opened = clock.now - before
    let found = await store.load(CacheKey(digest)) != nil
    let looked = clock.now - before
    say("found \(found) open \(opened) first \(looked) \(memory())")
    let start = clock.now
    for _ in 0..<10_000 { _ = await store.load(CacheKey(digest)) }
    say("a load \((clock.now - start) / 10_000) \(memory()) entries \(store.statistics().entries)")
    await store.close()
  }

  private static func purge(_ directory: String, _ pattern: String) async {
    let store = await DiskStore.open(options(directory, maxBytes: 10 << 30))
    let clock = ContinuousClock()
    let start = clock.now
    let result = await store.purge(Purge(.host(pattern)))
    say("\(result) in \(clock.now - start) \(memory())")
    await store.close()
  }

  private static func memory() -> String {
    guard let file = fopen("/proc/self/status", "r") else { return "" }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, 256, file) != nil {
      let text = String(decoding: line.prefix { $0 != 0 && $0 != 10 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      if text.hasPrefix("RssAnon") { return text }
    }
    return ""
  }
}

/// The real time.
struct RealClock: WallClock {
  var now: UnixTime {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return UnixTime(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
  }
}

/// No log.
struct SilentLog: EventLogging {
  func isEnabled(_ level: LogLevel) -> Bool { false }
  func log(_ level: LogLevel, _ event: StaticString, _ fields: [(StaticString, LogValue)]) {}
}

/// Writes a line to standard output.
func say(_ text: String) { write(1, text + "\n", text.utf8.count + 1) }

/// Ends the process with a reason.
func fail(_ text: String) -> Never {
  write(2, text + "\n", text.utf8.count + 1)
  exit(1)
}
