import AvatarCore

extension AvatarResolver {
  /// Removes an avatar's remembered failures along with a purge of its key.
  static func follow(_ purge: Purge, cache: AvatarCache, failures: FailureMemory) {
    switch purge.scope {
    case .keys(let keys):
      for key in keys {
        cache.drop(key)
        failures.forget(key, exactKey: key)
      }
    case .object(let hash): cache.drop { $0.object == hash }
    case .host(let pattern):
      guard let pattern = HostPattern(pattern) else { return }
      cache.drop { entry in SourceHost.of(entry.source).map { pattern.matches($0) } ?? false }
      failures.forgetAll()
    case .everything:
      cache.drop { _ in true }
      failures.forgetAll()
    }
  }
}
