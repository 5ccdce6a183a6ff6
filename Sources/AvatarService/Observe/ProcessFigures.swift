import AvatarCore
import Glibc

/// The usual `process_*` numbers, read from the kernel.
enum ProcessFigures {
  struct Sample {
    var name: String
    var kind: String
    var help: String
    var value: String
  }

  static func read(started: UnixTime) -> [Sample] {
    var usage = rusage()
    getrusage(RUSAGE_SELF.rawValue, &usage)
    let seconds =
      Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
      + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1_000_000
    var samples = [
      Sample(name: "process_cpu_seconds_total", kind: "counter", help: "CPU time used.", value: "\(seconds)"),
      Sample(
        name: "process_start_time_seconds", kind: "gauge", help: "Start since 1970.", value: "\(started.seconds)"),
    ]
    if let pages = statm() {
      let page = sysconf(Int32(_SC_PAGESIZE))
      samples.append(
        Sample(
          name: "process_virtual_memory_bytes", kind: "gauge", help: "Address space.", value: "\(pages.size * page)"))
      samples.append(
        Sample(
          name: "process_resident_memory_bytes", kind: "gauge", help: "Memory in use.",
          value: "\(pages.resident * page)"))
    }
    if let open = openDescriptors() {
      samples.append(Sample(name: "process_open_fds", kind: "gauge", help: "Open descriptors.", value: "\(open)"))
    }
    var limit = rlimit()
    if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
      samples.append(
        Sample(
          name: "process_max_fds", kind: "gauge", help: "Most descriptors allowed.", value: "\(limit.rlim_cur)"))
    }
    return samples
  }

  private static func statm() -> (size: Int, resident: Int)? {
    let descriptor = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: 256)
    let count = Glibc.read(descriptor, &buffer, buffer.count)
    guard count > 0 else { return nil }
    let numbers = String(decoding: buffer[..<count], as: UTF8.self).split(separator: " ").compactMap { Int($0) }
    return numbers.count > 1 ? (numbers[0], numbers[1]) : nil
  }

  private static func openDescriptors() -> Int? {
    guard let directory = opendir("/proc/self/fd") else { return nil }
    defer { closedir(directory) }
    var count = 0
    while readdir(directory) != nil { count += 1 }
    return count - 3  // ".", ".." and the directory's own.
  }
}
