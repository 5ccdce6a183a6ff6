/// What the server tells a worker at its start; both programs use this one type.
public struct WorkerArguments: Hashable, Sendable {
  /// Address space in bytes.
  public let memoryBytes: Int
  /// Whether it must end itself where a required measure fails.
  public let confinement: WorkerPoolOptions.Confinement

  init(memoryBytes: Int, confinement: WorkerPoolOptions.Confinement) {
    self.memoryBytes = memoryBytes
    self.confinement = confinement
  }

  /// Reads the words after the program's name; nil unless they are exactly what the server writes.
  public init?(words: [String]) {
    guard words.count == 2, let memoryBytes = Int(words[0]), memoryBytes > 0,
      let confinement = WorkerPoolOptions.Confinement(rawValue: words[1])
    else { return nil }
    self.init(memoryBytes: memoryBytes, confinement: confinement)
  }

  /// The words after the program's name.
  var words: [String] { [String(memoryBytes), confinement.rawValue] }

  /// The whole environment of a worker.
  static let environment = [
    // Two heaps at most: each further one costs 64 MiB of address space and keeps what it freed.
    "MALLOC_ARENA_MAX=2",
    // Large pages where the kernel has them: a photo and what it is decoded into cost a page fault for each 4 KiB otherwise, each time anew.
    "GLIBC_TUNABLES=glibc.malloc.hugetlb=1",
    // Swift's backtracer would start a program on a crash, which the filter turns into another death than the true one.
    "SWIFT_BACKTRACE=enable=no",
    // One image at a time on one thread: the pool is what runs in parallel.
    "VIPS_CONCURRENCY=1",
    "GIO_USE_VFS=local",
    "HOME=/",
    "LC_ALL=C.UTF-8",
  ]
}
