import AvatarCore
import Glibc

/// A decoder lets go of its core now and then, so that a thread that has woken on it need not wait for the kernel's next tick: hits beside photos.
///
/// Small pictures do not: they are done before anybody has waited long. What is large by its bytes does from its first moment on, what turns out to
/// be by its work after that. None does that has lost more time by it than it may: whoever lets go of its core beside work that never rests may be long in getting it back.
public final class CoreCourtesy {
  private var rule = Rule(now: 0, isLarge: false)
  private var startedAt: Int64 = 0

  /// Nothing is begun.
  public init() {}

  /// A picture of so many bytes begins.
  public func begin(bytes: Int) {
    rule = Rule(now: MonotonicTime.now.nanoseconds, isLarge: bytes >= WorkerJob.largeBytes)
    startedAt = Self.worked
  }

  /// To be called between two rows or some: lets go of the core if it is time to.
  public func pause() {
    let now = MonotonicTime.now.nanoseconds
    guard rule.mayBeDue(now: now) else { return }
    guard rule.isDue(worked: Self.worked - startedAt) else { return rule.note(from: now, to: now) }
    sched_yield()
    rule.note(from: now, to: MonotonicTime.now.nanoseconds)
  }

  /// When to, in nanoseconds.
  struct Rule {
    /// How long others may have to wait.
    static let interval: Int64 = 250_000
    /// CPU time before the first, of a picture that is not large by its bytes.
    static let beginning: Int64 = 3_000_000
    /// Most that may be lost for each nanosecond of work.
    static let most: Int64 = 16

    private var last: Int64
    private var lost: Int64 = 0
    private let isLarge: Bool

    init(now: Int64, isLarge: Bool) { (last, self.isLarge) = (now, isLarge) }

    /// Whether another look is worth its while.
    func mayBeDue(now: Int64) -> Bool { now - last >= Self.interval }

    /// Whether to, after so much CPU time.
    func isDue(worked: Int64) -> Bool {
      (isLarge || worked >= Self.beginning) && lost <= worked * Self.most
    }

    /// A look, or one that took until `end`.
    mutating func note(from start: Int64, to end: Int64) {
      lost += end - start
      last = end
    }
  }

  /// CPU time of this thread.
  private static var worked: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
