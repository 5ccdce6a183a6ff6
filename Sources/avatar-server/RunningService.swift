import AvatarCore
import AvatarFetch
import AvatarHTTP
import AvatarService
import AvatarStore
import AvatarWorkers
import Glibc
import Synchronization

/// Both sides of the service while they run: their start, reload and drain.
final class RunningService: Sendable {
  private let assembly: Assembly
  private let publicSide: PublicSide
  private let publicServer: HTTPServer
  private let controlServer: HTTPServer
  private let links: AvatarLinks
  private let control: ControlSide
  private let state: ServiceState

  init(_ assembly: Assembly) throws(AvatarError) {
    self.assembly = assembly
    let configuration = assembly.configuration
    let journal = RequestJournal(metrics: Metrics(), log: assembly.log)
    let state = ServiceState()
    self.state = state
    var settings = PublicSide.Settings(
      signer: assembly.signer, allowsUnsigned: configuration.allowsUnsigned, budget: configuration.requestBudget,
      patience: configuration.chain.patience, maximumSources: configuration.chain.maxSources)
    let shares = MemoryShares(configuration.cache.memoryBytes)
    (settings.targetBytes, settings.objectBytes) = (shares.targets, shares.objects)
    publicSide = PublicSide(
      settings,
      resolver: assembly.resolver, naming: assembly.naming, names: assembly.names, preparer: MHDReplies(),
      journal: journal)
    // Both sides' connections count against the one limit of the process.
    try DescriptorLimit.raise(
      to: configuration.maxConnections + min(1024, configuration.maxConnections) + Self.otherDescriptors)
    publicServer = try HTTPServer(
      options: Self.publicOptions(configuration), handler: publicSide, problem: { Problem.reply($0) },
      log: assembly.log)
    links = AvatarLinks(
      base: configuration.baseURL(boundPort: publicServer.boundPort), signer: assembly.signer)
    var prefetch = Prefetcher.Settings()
    prefetch.objectLifetime = configuration.prefetch.objectLifetime
    prefetch.pending = configuration.prefetch.queue
    // Half of the workers' queue at most: what finds it full is shed, and the other half is for those who wait.
    prefetch.concurrency = min(configuration.prefetch.concurrency, max(1, configuration.workers.queue / 2))
    prefetch.width = configuration.image.size
    prefetch.maximumSources = configuration.chain.maxSources
    let prefetcher = Prefetcher(
      chain: assembly.chain, resolver: assembly.resolver, naming: assembly.naming, names: assembly.names,
      links: links, settings: prefetch)
    let server = publicServer
    let figures = Figures(
      metrics: journal.metrics, resolver: assembly.resolver, prefetcher: prefetcher, version: Product.version,
      capacity: Figures.Capacity(memory: configuration.cache.memoryBytes, disk: configuration.cache.maxBytes),
      workers: { Self.workers(assembly.pool.statistics()) },
      fetches: {
        let figures = assembly.fetcher.statistics
        return Figures.Fetches(inFlight: figures.running, queued: figures.waiting)
      }, connections: { server.statistics.connections })
    let control = ControlSide(
      access: ControlGuard(tokens: configuration.controlTokens, hashing: assembly.hashing), prefetcher: prefetcher,
      notifications: NotificationsEndpoint(prefetcher: prefetcher, payload: configuration.payload),
      purger: Purger(store: assembly.store, naming: assembly.naming, names: assembly.names),
      inspector: Inspector(
        resolver: assembly.resolver, parts: assembly.parts, names: assembly.names, limits: configuration.imageLimits),
      figures: figures, journal: journal, budget: configuration.requestBudget,
      readiness: { Self.readiness(assembly, state) })
    self.control = control
    controlServer = try HTTPServer(
      options: Self.controlOptions(configuration), handler: control, problem: { Problem.reply($0) },
      log: assembly.log)
  }

  /// Says where it listens.
  func announce(demo: DemoOrigin?) {
    let configuration = assembly.configuration
    assembly.log.log(
      .info, "serving",
      [
        ("version", .text(Product.version)),
        ("public", .text("\(configuration.listen.host):\(publicServer.boundPort)")),
        ("control", .text("\(configuration.controlListen.host):\(controlServer.boundPort)")),
        ("cache", .text(configuration.cache.directory)),
      ])
    if let demo { Console.write(demo.invitation(base: configuration.baseURL(boundPort: publicServer.boundPort))) }
  }

  func workersAreUp() { assembly.log.log(.info, "ready", []) }

  /// SIGHUP: keys, tokens, certificates and the log level anew; what does not load leaves all as it was.
  func reload(_ invocation: Invocation, environment: [String: String]) {
    do {
      let fresh = try invocation.loadConfiguration(environment: environment).configuration
      let signer = URLSigner(keys: fresh.signingKeys, hashing: assembly.hashing)
      if let identity = try TLSFiles.identity(fresh.tls) { try publicServer.reloadTLS(identity) }
      publicSide.replaceSigner(signer)
      links.replaceSigner(signer)
      control.replaceAccess(ControlGuard(tokens: fresh.controlTokens, hashing: assembly.hashing))
      assembly.log.level = fresh.log.level
      assembly.log.log(.info, "reloaded", [])
    } catch let faults as ConfigurationFaults {
      for fault in faults.faults { assembly.log.log(.error, "reload_failed", [("detail", .text("\(fault)"))]) }
    } catch {
      assembly.log.log(.error, "reload_failed", [("detail", .text((error as? AvatarError)?.detail ?? "\(error)"))])
    }
  }

  /// Ends in the order of the contract: not ready, delay, no new connections, answers in flight, threads.
  func drain() async {
    let configuration = assembly.configuration
    state.beginDrain()
    assembly.log.log(.info, "draining", [])
    publicServer.beginDrain()
    controlServer.beginDrain()
    if configuration.drainDelay > .zero {
      do { try await Task.sleep(for: configuration.drainDelay) } catch {}  // Nobody cancels the drain.
    }
    publicServer.stopAccepting()
    controlServer.stopAccepting()
    // Whoever came last before the signal has until its own budget ends, and its answer then wants a moment to go out.
    let deadline = Deadline.after(configuration.requestBudget + .milliseconds(500))
    let isIdle = await publicServer.waitUntilIdle(until: deadline)
    let isControlIdle = await controlServer.waitUntilIdle(until: deadline)
    if !isIdle || !isControlIdle { assembly.log.log(.warning, "drain_cut_short", []) }
    await publicServer.close()
    await controlServer.close()
    assembly.log.log(.info, "stopped", [])
  }

  private static func publicOptions(_ configuration: Configuration) throws(AvatarError) -> HTTPServerOptions {
    HTTPServerOptions(
      side: "public", host: configuration.listen.address.text, port: configuration.listen.port,
      methods: [.get, .head], threads: cores, maxConnections: configuration.maxConnections,
      idleTimeout: configuration.idleTimeout, requestTimeout: configuration.requestTimeout,
      responseTimeout: configuration.responseTimeout, tls: try TLSFiles.identity(configuration.tls))
  }

  private static func controlOptions(_ configuration: Configuration) -> HTTPServerOptions {
    HTTPServerOptions(
      side: "control", host: configuration.controlListen.address.text, port: configuration.controlListen.port,
      methods: [.get, .head, .post], maximumBodyBytes: 1 << 20, threads: 1,
      maxConnections: min(1024, configuration.maxConnections), idleTimeout: configuration.idleTimeout,
      requestTimeout: configuration.requestTimeout, responseTimeout: configuration.responseTimeout)
  }

  /// Origins, files, workers and the loops' own.
  private static let otherDescriptors = 1024

  private static var cores: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

  private static func workers(_ statistics: WorkerStatistics) -> Figures.Workers {
    Figures.Workers(
      busy: statistics.busy, up: statistics.up, count: statistics.count, queued: statistics.queued,
      restarts: Dictionary(uniqueKeysWithValues: statistics.restarts.map { ($0.key.rawValue, $0.value) }))
  }

  private static func readiness(_ assembly: Assembly, _ state: ServiceState) -> Readiness {
    var readiness = Readiness(ready: !state.isDraining, degraded: state.isDraining ? ["draining"] : [])
    let workers = assembly.pool.statistics()
    switch workers.readiness {
    case .ready(let missing): readiness.degraded += missing.map { "worker confinement: \($0)" }
    case .starting:
      readiness.ready = false
      readiness.degraded.append("workers are starting")
    case .unready(let reason):
      readiness.ready = false
      readiness.degraded.append("workers: \(reason)")
    }
    if !assembly.store.statistics().isWritable { readiness.degraded.append("the cache takes no writes") }
    return readiness
  }
}

/// Whether the service is on its way out.
final class ServiceState: Sendable {
  private let draining = Atomic<Bool>(false)
  var isDraining: Bool { draining.load(ordering: .relaxed) }
  func beginDrain() { draining.store(true, ordering: .relaxed) }
}
