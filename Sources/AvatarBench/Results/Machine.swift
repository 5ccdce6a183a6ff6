import Glibc

/// The machine a run was on, as far as it matters and without its name.
public struct Machine: Sendable, Codable, Equatable {
  /// The processor's model.
  public var processor: String
  /// Cores that this process may use.
  public var cores: Int
  /// Memory in bytes.
  public var memory: Int
  /// Kernel release.
  public var kernel: String
  /// The distribution.
  public var system: String

  /// This one.
  public static var here: Machine {
    var names = utsname()
    uname(&names)
    let kernel = withUnsafeBytes(of: names.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    func value(_ path: String, _ key: String, _ separator: Character) -> String? {
      (Files.text(path) ?? "").split(separator: "\n").first { $0.hasPrefix(key) }
        .flatMap { $0.split(separator: separator, maxSplits: 1).dropFirst().first }
        .map { String($0.drop { $0 == " " || $0 == "\t" || $0 == "\"" }.prefix { $0 != "\"" }) }
    }
    return Machine(
      processor: value("/proc/cpuinfo", "model name", ":") ?? "unknown",
      cores: Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))),
      memory: sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE)), kernel: kernel,
      system: value("/etc/os-release", "PRETTY_NAME", "=") ?? "Linux")
  }
}

/// What the whole machine did between two looks, from /proc/stat.
struct MachineLoad {
  /// Time in nanoseconds that cores were idle, and that a hypervisor took from them. What they were busy with is the rest: the kernel measures idle time, but
  /// only samples what a core does at its ticks, and work that a timer wakes (an origin's delay) is there at each of them.
  let idle: UInt64
  let stolen: UInt64

  /// Up to now.
  static var now: MachineLoad {
    let line = (Files.text("/proc/stat") ?? "").prefix { $0 != "\n" }
    let ticks = line.split(separator: " ").dropFirst().compactMap { UInt64($0) }
    guard ticks.count >= 8 else { return MachineLoad(idle: 0, stolen: 0) }
    let unit = 1_000_000_000 / UInt64(sysconf(Int32(_SC_CLK_TCK)))
    // user, nice, system, idle, iowait, irq, softirq, steal
    return MachineLoad(idle: (ticks[3] + ticks[4]) * unit, stolen: ticks[7] * unit)
  }
}
