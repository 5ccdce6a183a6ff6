public import AvatarCore
import Synchronization

/// The public side: avatars, objects and `/healthz`; what a CDN sees. (Contract, section 4.)
public final class PublicSide: HTTPHandling {
  /// What the public side is told by the configuration.
  public struct Settings: Sendable {
    /// Signs and verifies avatar URLs.
    public var signer: URLSigner
    /// Whether unsigned avatar URLs are served.
    public var allowsUnsigned: Bool
    /// The longest that a request waits.
    public var budget: Duration
    /// How long a chain waits for its best source.
    public var patience: Duration
    /// Most sources of one avatar.
    public var maximumSources: Int
    /// Bytes for targets that have been read and verified.
    public var targetBytes = 32 << 20
    /// Bytes for objects that are asked for by their hash.
    public var objectBytes = 32 << 20

    /// Names the settings.
    public init(
      signer: URLSigner, allowsUnsigned: Bool, budget: Duration, patience: Duration, maximumSources: Int
    ) {
      self.signer = signer
      self.allowsUnsigned = allowsUnsigned
      self.budget = budget
      self.patience = patience
      self.maximumSources = maximumSources
    }
  }

  private let resolver: AvatarResolver
  private let chain: ChainResolver
  private let naming: SourceNaming
  private let names: any InternationalNames
  private let replies: AvatarReply
  private let objects: ObjectTier
  private let journal: RequestJournal
  private let settings: Settings
  private let signer: Mutex<Keys>
  private let memo: TargetMemo
  private let health: PreparedReply

  /// Serves through `resolver`.
  public init(
    _ settings: Settings, resolver: AvatarResolver, naming: SourceNaming, names: any InternationalNames,
    preparer: any ReplyPreparing, journal: RequestJournal
  ) {
    self.settings = settings
    self.resolver = resolver
    self.naming = naming
    self.names = names
    self.journal = journal
    chain = ChainResolver(resolver, patience: settings.patience)
    replies = AvatarReply(cache: resolver.cache, preparer: preparer, earlyRefresh: resolver.earlyRefresh)
    objects = ObjectTier(bytes: settings.objectBytes, store: resolver.cache.store, preparer: preparer)
    memo = TargetMemo(bytes: settings.targetBytes)
    signer = Mutex(Keys(signer: settings.signer))
    health = preparer.prepare(HealthReply.alive)
  }

  /// Takes new keys in (SIGHUP); targets verified with the old ones are verified anew.
  public func replaceSigner(_ new: URLSigner) {
    signer.withLock { $0 = Keys(signer: new, generation: $0.generation + 1) }
    memo.forgetAll()
  }

  private struct Keys {
    var signer: URLSigner
    var generation = 0
  }

  /// A target that was verified before, with the keys of now.
  public func recall(_ target: UnsafeRawBufferPointer) -> KnownTarget? { memo.lookup(target) }

  /// What was prepared for a fresh avatar in memory: nearly every hit of a popular avatar is answered here.
  public func hit(_ known: KnownTarget, condition: () -> ConditionalRequest?) -> PreparedReply? {
    // There is one subclass, ours.
    guard type(of: known) == TargetLead.self else { return nil }
    let lead = unsafeDowncast(known, to: TargetLead.self)
    let started = MonotonicTime.now
    let held = lead.avatar
    held?.noteReach()
    guard let avatar = held ?? resolver.memory.lookup(lead.key) else { return nil }
    let condition = condition()
    if let reply = replies.plainHit(avatar, version: lead.version, inChain: lead.inChain, condition: condition) {
      resolver.noteUse(of: avatar)
      journal.noteHit(avatar, status: reply.status, since: started)
      if held == nil { avatar.offer(to: lead, with: reply) }
      return reply
    }
    guard let (answer, isDue) = resolver.hit(avatar) else { return nil }
    if isDue { resolver.refreshBehind(lead.target.sources[0], force: true) }
    let form = AvatarReply.Form(
      version: lead.version, condition: condition ?? ConditionalRequest(ifNoneMatch: nil, ifModifiedSince: nil),
      inChain: lead.inChain)
    guard case .prepared(let reply) = replies.disposition(answer, form) else { return nil }
    journal.noteHit(avatar, status: reply.status, since: started)
    return reply
  }

  /// Answers from memory at once, or has the connection wait for disk and origin.
  public func respond(to request: HTTPRequest) -> HTTPDisposition {
    let started = ContinuousClock.now
    if let known = request.known, type(of: known) == TargetLead.self {
      let lead = unsafeDowncast(known, to: TargetLead.self)
      return serve(lead.target, version: lead.version, request, started)
    }
    do throws(AvatarError) {
      switch PublicRoute(path: request.path, query: request.query) {
      case .avatar(let signature, let segment, let version):
        let keys = signer.withLock { $0 }
        guard keys.signer.verifies(signature, of: segment) else { throw AvatarError(.invalidSignature) }
        let target = try target(segment, trusted: true, request)
        // New keys may have come meanwhile, and with the old ones' targets forgotten before this one was remembered.
        if signer.withLock({ $0.generation }) != keys.generation { memo.forgetAll() }
        return serve(target, version: version, request, started)
      case .unsignedSegment(let segment, let version):
        guard settings.allowsUnsigned else { throw AvatarError(.unsignedNotAllowed) }
        return serve(try target(segment, trusted: false, request), version: version, request, started)
      case .unsignedQuery(let query):
        guard settings.allowsUnsigned else { throw AvatarError(.unsignedNotAllowed) }
        let locator = try AvatarLocator(query: query, names: names, maximumSources: settings.maximumSources)
        let target = AvatarTarget(sources: naming.sources(locator, trusted: false))
        memo.remember(TargetLead(request, target))
        return serve(target, version: PublicRoute.version(inQuery: query), request, started)
      case .object(let hash): return object(hash, request, started)
      case .health: return .prepared(health)
      case .none:
        journal.note(.stray, AvatarError(.notFound), since: started)
        return .reply(Problem.reply(AvatarError(.notFound)))
      }
    } catch {
      journal.note(.avatar, error, since: started)
      return .reply(Problem.reply(error))
    }
  }

  private func target(_ segment: String, trusted: Bool, _ request: HTTPRequest) throws(AvatarError) -> AvatarTarget {
    let locator = try AvatarLocator(decoding: segment, names: names, maximumSources: settings.maximumSources)
    let target = AvatarTarget(sources: naming.sources(locator, trusted: trusted))
    memo.remember(TargetLead(request, target))
    return target
  }

  private func serve(
    _ target: AvatarTarget, version: String?, _ request: HTTPRequest, _ started: ContinuousClock.Instant
  ) -> HTTPDisposition {
    let inChain = target.sources.count > 1
    if let answer = chain.hit(target.sources) {
      return serve(answer, inChain: inChain, version: version, request, started)
    }
    let form = AvatarReply.Form(version: version, condition: ConditionalRequest(request), inChain: inChain)
    let onlyIfCached = request.header("Cache-Control").map { CacheControl([$0]).isOnlyIfCached } ?? false
    let terms = Terms(deadline: Deadline(started + settings.budget), onlyIfCached: onlyIfCached)
    // Read now: what holds the request would have its fields copied.
    let trace = TraceContext(request)
    return .later { [resolver, chain, replies, journal] responder in
      @Sendable func send(_ answer: Answer) {
        let reply = replies.reply(answer, form)
        journal.note(.avatar, answer, target, status: reply.status, since: started, trace)
        responder.send(reply)
      }
      resolver.lookupOnDisk(target.sources[0]) { found, look in
        if var found {
          if inChain { found.index = 0 }
          return send(found)
        }
        Task(executorPreference: TurnExecutor.shared) { send(await chain.resolve(target.sources, terms, after: look)) }
      }
    }
  }

  private func serve(
    _ answer: Answer, inChain: Bool, version: String?, _ request: HTTPRequest, _ started: ContinuousClock.Instant
  ) -> HTTPDisposition {
    let form = AvatarReply.Form(version: version, condition: ConditionalRequest(request), inChain: inChain)
    // An avatar that is not kept is not asked for again in this form.
    let disposition =
      resolver.memory.keepsAny ? replies.disposition(answer, form) : .reply(replies.reply(answer, form))
    journal.note(.avatar, answer, nil, status: disposition.status, since: started)
    return disposition
  }

  private func object(_ hash: ContentHash, _ request: HTTPRequest, _ started: ContinuousClock.Instant)
    -> HTTPDisposition
  {
    let condition = ConditionalRequest(ifNoneMatch: request.header("If-None-Match"), ifModifiedSince: nil)
    let now = resolver.cache.clock.now
    if let reply = objects.hit(hash, condition, now: now) {
      journal.note(.object, status: reply.status, since: started)
      return .prepared(reply)
    }
    let trace = TraceContext(request)
    return .later { [objects, journal] responder in
      Task {
        if let reply = await objects.load(hash, condition, now: now) {
          journal.note(.object, status: reply.status, since: started, trace)
          responder.send(reply)
        } else {
          let reply = Problem.reply(AvatarError(.notFound))
          journal.note(.object, status: reply.status, since: started, trace, code: .notFound)
          responder.send(reply)
        }
      }
    }
  }
}

extension ConditionalRequest {
  init(_ request: HTTPRequest) {
    self.init(ifNoneMatch: request.header("If-None-Match"), ifModifiedSince: request.header("If-Modified-Since"))
  }
}

extension HTTPDisposition {
  /// The status where it is known already; 0 where the answer comes later.
  var status: Int {
    switch self {
    case .prepared(let reply): reply.status
    case .reply(let reply): reply.status
    case .later: 0
    }
  }
}
