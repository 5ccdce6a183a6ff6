import AvatarCore
import AvatarCrypto
import AvatarNames
import AvatarService
import AvatarStore
import Glibc

/// `cache stat|verify|list|purge`: the cache directory at work, beside running servers or without one.
struct CacheCommand {
  private let configuration: Configuration
  private let store: DiskStore
  private let clock = SystemClock()

  init(_ loaded: LoadedConfiguration) async throws(AvatarError) {
    configuration = loaded.configuration
    let cache = configuration.cache
    guard access(cache.directory, F_OK) == 0 else {
      throw AvatarError(.internalFault, "there is no cache at \(cache.directory)")
    }
    let log = try JSONLineLog(descriptor: STDERR_FILENO, format: .text, level: .error, clock: clock)
    store = await DiskStore.open(
      DiskStoreOptions(
        directory: cache.directory, maxBytes: cache.maxBytes, hashing: OpenSSLHashing(), clock: clock, log: log,
        scrubBytesPerSecond: 0))
  }

  func stat() async throws(AvatarError) -> Int32 {
    let details = try await store.stat()
    let counts = details.statistics
    let share = details.maxBytes > 0 ? counts.bytes * 100 / details.maxBytes : 0
    Console.write(
      """
      directory  \(details.directory)
      objects    \(counts.objects), \(counts.bytes) bytes of \(details.maxBytes) (\(share) %)
      entries    \(counts.entries), from \(details.origins) origins
      pinned     \(details.pinned)
      index      \(details.indexBytes) bytes
      oldest     \(details.oldest.map { HTTPDate.format($0) } ?? "none")
      writable   \(counts.isWritable ? "yes" : "no")

      """)
    await store.close()
    return 0
  }

  func verify() async throws(AvatarError) -> Int32 {
    let counts = try await store.verify { part, counts in
      guard Console.isTerminal else { return }
      Console.write(
        "\r\u{1B}[K\(part * 100 / 256) %, \(counts.sound) sound, \(counts.damaged) damaged", to: STDERR_FILENO)
    }
    if Console.isTerminal { Console.write("\r\u{1B}[K", to: STDERR_FILENO) }
    Console.write(
      """
      sound      \(counts.sound), \(counts.bytesRead) bytes read
      damaged    \(counts.damaged), removed
      missing    \(counts.missing), their entries removed
      adopted    \(counts.adopted)
      collected  \(counts.collected)
      foreign    \(counts.foreign), left alone
      failures   \(counts.failures)

      """)
    await store.close()
    return counts.damaged > 0 || counts.failures > 0 ? 1 : 0
  }

  func list() async throws(AvatarError) -> Int32 {
    let policy = FreshnessPolicy(
      lifetime: configuration.freshness.lifetime, minimum: configuration.freshness.minimum,
      maximum: configuration.freshness.maximum, staleWhileRevalidate: configuration.freshness.staleWhileRevalidate,
      staleIfError: configuration.freshness.staleIfError)
    try await store.list { [clock] listed in
      let entry = listed.entry
      let freshness = policy.assess(entry.metadata, staleSince: entry.staleSince, now: clock.now)
      Console.write(
        "\(entry.key)\t\(entry.object)\t\(entry.objectBytes)\t\(freshness.state)\t\(freshness.age)\t\(listed.sourceWithoutQuery)\n"
      )
      return true
    }
    await store.close()
    return 0
  }

  func purge(_ selection: Command.PurgeSelection, soft: Bool) async throws(AvatarError) -> Int32 {
    let scope: Purge.Scope
    switch selection {
    case .everything: scope = .everything
    case .object(let hash): scope = .object(hash)
    case .host(let pattern): scope = .host(pattern.text)
    case .sources(let texts):
      let names = IDN2Names()
      let naming = SourceNaming(
        rules: configuration.identityRules, recipe: configuration.recipe(fit: .cover), hashing: OpenSSLHashing())
      let purger = Purger(store: store, naming: naming, names: names)
      var keys: [CacheKey] = []
      for text in texts { keys += purger.keys(of: try SourceURL(parsing: text, names: names)) }
      scope = .keys(keys)
    }
    let result = await store.purge(Purge(scope, soft: soft))
    Console.write("\(soft ? "marked stale" : "removed") \(result.entries) entries, \(result.objects) objects\n")
    await store.close()
    return 0
  }
}
