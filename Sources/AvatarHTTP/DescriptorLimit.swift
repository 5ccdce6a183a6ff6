public import AvatarCore
import Glibc

/// The process's limit on open descriptors, which Debian starts every process with at 1,024.
public enum DescriptorLimit {
  /// Raises the soft limit to at least `count`, and the hard limit where that is too low and the process may.
  ///
  /// Throws `internal` with what is allowed where it may not. Never lowers anything. Each server raises it for its own
  /// connections; who starts several asks for the sum first.
  public static func raise(to count: Int) throws(AvatarError) {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
      throw AvatarError(.internalFault, "getrlimit: \(String(cString: strerror(errno)))")
    }
    let wanted = rlim_t(count)
    guard limit.rlim_cur < wanted else { return }
    limit.rlim_cur = wanted
    limit.rlim_max = max(limit.rlim_max, wanted)
    guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
      var present = rlimit()
      _ = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &present)
      throw AvatarError(
        .internalFault, "\(count) open files are needed, \(present.rlim_max) are allowed: raise the limit (ulimit -Hn)")
    }
  }
}
