public import AvatarCore
import CLinux
import Glibc

/// A worker's way into its cell: `narrow` before the decoders warm up, `lock` before the first picture.
///
/// Two steps, because a few measures hold for the calling thread and those it starts later only (Landlock, namespaces, capabilities),
/// and a decoder's warm-up may leave threads behind; while the warm-up itself must still read fonts and modules. So `narrow` takes away all but
/// reading files while there is one thread, and `lock` takes that too; the system-call filter then covers every thread there is.
public struct Confinement {
  /// What has come of it so far.
  public private(set) var report = ConfinementReport()
  private let memoryBytes: Int

  /// A worker may be recycled long before; this ends one whose server has lost sight of it.
  private static let lifetimeSeconds: UInt64 = 3600

  /// `memoryBytes` bounds the address space.
  public init(memoryBytes: Int) { self.memoryBytes = memoryBytes }

  /// First step, with one thread only: lower priority, another user than root, no privileges, no network, and from Landlock on no writing,
  /// no exec, no connection and no signal to anybody. Reading files still works.
  public mutating func narrow() {
    // A broken socket or standard error is an error number, not a death.
    signal(SIGPIPE, SIG_IGN)
    report.note(.lowPriority, linux_low_priority())
    report.note(.lowPriority, linux_first_to_go())
    // By root's own right, and failing that by a user namespace, which must come after leaving root: nobody's number means
    // nothing inside it.
    var network = linux_own_network(0)
    report.note(.ordinaryUser, linux_leave_root())
    if network != 0 { network = linux_own_network(1) }
    report.note(.ownNetwork, network)
    report.note(.noCapabilities, linux_drop_capabilities())
    report.note(.noNewPrivileges, linux_no_new_privileges())
    report.note(.notDumpable, linux_not_dumpable())
    report.note(.landlock, linux_landlock(1))
    // Last: a change of credentials undoes it.
    report.note(.diesWithServer, linux_die_with_parent())
  }

  /// Second step, after the warm-up: nothing can be opened, connected, started or signalled any more, memory and CPU time are bounded.
  public mutating func lock() {
    report.note(.landlock, linux_landlock(0))
    report.note(.memoryLimit, linux_limit_memory(UInt64(memoryBytes)))
    report.note(.otherLimits, linux_limit_rest(Self.lifetimeSeconds))
    report.note(.callFilter, linux_filter())
    // Believe what happens rather than what was returned.
    let file = open("/", O_RDONLY | O_CLOEXEC)
    if file >= 0 {
      close(file)
      report.note(.callFilter, EISDIR)
    }
  }
}
