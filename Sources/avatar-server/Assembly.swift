import AvatarCore
import AvatarCrypto
import AvatarFetch
import AvatarNames
import AvatarService
import AvatarStore
import AvatarWorkers
import Glibc

/// The adapters and the service joined as the configuration says; what every command works with.
struct Assembly {
  let configuration: Configuration
  let log: JSONLineLog
  let clock = SystemClock()
  let hashing = OpenSSLHashing()
  let names = IDN2Names()
  let naming: SourceNaming
  let store: DiskStore
  let fetcher: CurlFetcher
  let pool: WorkerPool
  let parts: AvatarResolver.Parts
  let resolver: AvatarResolver
  let chain: ChainResolver
  let signer: URLSigner

  /// Joins everything; the workers are not started yet. Throws `internal` where the system lacks something, with the reason.
  init(
    _ loaded: LoadedConfiguration, extraAddresses: [String] = [], logsTo descriptor: Int32 = STDERR_FILENO
  ) async throws(AvatarError) {
    var configuration = loaded.configuration
    configuration.fetch.allowAddresses += extraAddresses.compactMap { AddressBlock($0) }
    self.configuration = configuration
    log = try JSONLineLog(
      descriptor: descriptor, format: configuration.log.format, level: configuration.log.level, clock: clock)
    naming = SourceNaming(
      rules: configuration.identityRules, recipe: configuration.recipe(fit: .cover), hashing: hashing)
    let cache = configuration.cache
    store = await DiskStore.open(
      DiskStoreOptions(
        directory: cache.directory, maxBytes: cache.maxBytes, hashing: hashing, clock: clock, log: log,
        scrubBytesPerSecond: cache.scrubBytesPerSecond, queueLimit: cache.queue))
    fetcher = try CurlFetcher(options: Self.fetchOptions(configuration), names: names, clock: clock)
    pool = try WorkerPool(Self.workerOptions(configuration, log))
    parts = AvatarResolver.Parts(
      store: store, origin: fetcher, normalizer: pool, hashing: hashing, clock: clock, naming: naming)
    resolver = AvatarResolver(parts, Self.resolverSettings(configuration))
    chain = ChainResolver(resolver, patience: configuration.chain.patience)
    signer = URLSigner(keys: configuration.signingKeys, hashing: hashing)
  }

  /// Ends what the assembly started, in the order in which it hangs together.
  func close() async {
    fetcher.close()
    await pool.stop()
    await store.close()
    log.flush(within: .seconds(1))
  }

  private static func fetchOptions(_ configuration: Configuration) -> FetchOptions {
    let fetch = configuration.fetch
    var options = FetchOptions(userAgent: fetch.userAgent ?? Product.token)
    options.totalTimeout = fetch.totalTimeout
    options.connectTimeout = fetch.connectTimeout
    options.idleTimeout = fetch.idleTimeout
    options.maxRedirects = fetch.maxRedirects
    options.maxBytes = fetch.maxBytes
    options.concurrency = fetch.concurrency
    options.perHostConcurrency = fetch.perHostConcurrency
    options.queue = fetch.queue
    options.lookups = fetch.dnsConcurrency
    options.hosts = configuration.hostPolicy
    options.addresses = configuration.addressPolicy
    options.headers = fetch.headers.map { FetchOptions.HostHeaders(hosts: $0.hosts, fields: $0.fields) }
    options.proxy = fetch.proxy
    return options
  }

  private static func workerOptions(_ configuration: Configuration, _ log: JSONLineLog) throws(AvatarError)
    -> WorkerPoolOptions
  {
    let workers = configuration.workers
    return WorkerPoolOptions(
      count: workers.count ?? max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))), queue: workers.queue,
      memoryBytes: workers.memoryBytes, confinement: workers.confinement == .required ? .required : .preferred,
      executable: try WorkerProgram.path(), log: log)
  }

  private static func resolverSettings(_ configuration: Configuration) -> AvatarResolver.Settings {
    var settings = AvatarResolver.Settings()
    let freshness = configuration.freshness
    settings.freshness = FreshnessPolicy(
      lifetime: freshness.lifetime, minimum: freshness.minimum, maximum: freshness.maximum,
      staleWhileRevalidate: freshness.staleWhileRevalidate, staleIfError: freshness.staleIfError)
    settings.earlyRefresh = freshness.earlyRefresh
    let negative = configuration.negative
    settings.negative = NegativePolicy(
      notFound: negative.notFound, undecodable: negative.undecodable, unreachable: negative.unreachable,
      throttledMaximum: negative.throttled, throttledDefault: min(negative.throttled, negative.throttledDefault))
    settings.negativeEntries = negative.maximumEntries
    settings.hostHealth = HostHealthLimits(
      failures: configuration.breaker.failures, coolDown: configuration.breaker.coolDown,
      maximumCoolDown: configuration.breaker.maximumCoolDown, throttledMaximum: negative.throttled,
      hosts: configuration.breaker.maximumHosts)
    let shares = MemoryShares(configuration.cache.memoryBytes)
    (settings.memoryBytes, settings.entryBytes) = (shares.avatars, shares.entries)
    settings.flights = configuration.flights.maximum
    settings.waiters = configuration.flights.waiters
    settings.limits = configuration.imageLimits
    return settings
  }
}

/// The worker's program, which lies beside the server's.
enum WorkerProgram {
  /// Its absolute path. Throws `internal` where the system does not say where this program lies.
  static func path() throws(AvatarError) -> String {
    var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    guard count > 0 else { throw AvatarError(.internalFault, "/proc/self/exe cannot be read") }
    let own = String(decoding: buffer[..<count], as: UTF8.self)
    guard let slash = own.lastIndex(of: "/") else { throw AvatarError(.internalFault, "no folder in \(own)") }
    return own[...slash] + "avatar-worker"
  }
}
