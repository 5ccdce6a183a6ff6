public import AvatarCore

/// How many workers there are, what each may use and how strictly it is confined; the keys `workers.*`.
public struct WorkerPoolOptions: Sendable {
  /// What happens where the kernel or the container forbids a part of the confinement.
  public enum Confinement: String, Sendable {
    /// A worker without one of the required measures does not run; the pool does not become ready.
    case required
    /// It runs, and readiness says what is missing.
    case preferred
  }

  /// Workers kept warm, at least 1.
  public var count: Int
  /// Images that may wait for a worker, at least 1; of these at most half may be background work.
  public var queue: Int
  /// Address space of one worker in bytes.
  public var memoryBytes: Int
  /// How strict.
  public var confinement: Confinement
  /// Path of `avatar-worker`, absolute.
  public var executable: String
  /// Where the workers' deaths and their standard error go.
  public var log: any EventLogging

  /// How long a worker may take from its start until it is warm and confined. Generous: many start at once, at low priority.
  public var startTimeout: Duration = .seconds(30)
  /// A worker whose resident memory at rest is over this is replaced by a fresh one, which comes up first.
  public var restingMemoryBytes: Int = 76 << 20
  /// A worker that has used so much CPU time in all is replaced, well before the kernel's limit on its life.
  public var lifetimeCPU: Duration = .seconds(1200)

  /// Makes options; the numbers' defaults are the contract's but for `count`, which is the number of cores.
  public init(
    count: Int, queue: Int = 256, memoryBytes: Int = 768 << 20, confinement: Confinement = .required,
    executable: String, log: any EventLogging
  ) {
    precondition(count >= 1 && queue >= 1, "the configuration bounds both")
    self.count = count
    self.queue = queue
    self.memoryBytes = memoryBytes
    self.confinement = confinement
    self.executable = executable
    self.log = log
  }
}
