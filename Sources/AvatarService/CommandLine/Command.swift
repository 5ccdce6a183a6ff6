public import AvatarCore

/// What somebody asked of `avatar-server` on its command line; everything is present and of the right form, nothing has
/// been looked at that needs the configuration.
public enum Command: Equatable, Sendable {
  /// Run the service. `demo` starts a sample origin on loopback beside it.
  case serve(demo: Bool)
  /// Put the avatars of a list of source URLs into the cache, one a line. `refresh` revalidates even what is fresh.
  case warm(list: WarmList, fit: Fit, refresh: Bool)
  /// Print the signed avatar URL of one avatar. Sources as they were given, at least one, best first.
  case url(sources: [String], fit: Fit)
  /// Show every step for one avatar.
  case inspect(sources: [String], fit: Fit, json: Bool)
  /// Print the cache's counts.
  case cacheStat
  /// Read every object and remove what is damaged.
  case cacheVerify
  /// Print a line for each entry.
  case cacheList
  /// Take entries out of the cache, or mark them stale if `soft`.
  case cachePurge(PurgeSelection, soft: Bool)
  /// Load the configuration and print what is in effect, or the sample file with the defaults.
  case check(defaults: Bool)
  /// Exit 0 if the service that this configuration describes is ready.
  case health
  /// Print the version.
  case version
  /// Print a help text: that of a command (`cache purge`), or the program's where there is none.
  case help(command: String?)

  /// Where `warm` reads from.
  public enum WarmList: Equatable, Sendable {
    /// A file's path.
    case file(String)
    /// `-`
    case standardInput
  }

  /// What `cache purge` is for.
  public enum PurgeSelection: Equatable, Sendable {
    /// These source URLs' entries, as they were given.
    case sources([String])
    /// Every entry of the hosts.
    case host(HostPattern)
    /// Every entry with these bytes.
    case object(ContentHash)
    /// `--all`
    case everything
  }
}
