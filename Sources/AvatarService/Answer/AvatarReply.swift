import AvatarCore

/// An answer as HTTP: the header block of a 200, 304 or error on the public side. (Contract, section 4.)
struct AvatarReply {
  /// What of the request changes the answer's form.
  struct Form {
    /// The first 16 hexadecimal digits of the content that the URL was handed out for; nil without `?v=`.
    var version: String?
    /// Conditional fields.
    var condition: ConditionalRequest
    /// More than one source.
    var inChain: Bool
  }

  let cache: AvatarCache
  let preparer: any ReplyPreparing
  /// `earlyRefresh` of the resolver.
  let earlyRefresh: Duration

  /// What was prepared for a fresh avatar and is still true, if its use can bring no refresh.
  func plainHit(_ avatar: HotAvatar, version: String?, inChain: Bool, condition: ConditionalRequest?) -> PreparedReply?
  {
    let now = cache.clock.now
    let variant = ReplyVariant(
      immutable: version.map { fits($0, avatar) } ?? false, inChain: inChain,
      notModified: condition.map { isNotModified(avatar, $0, now: now) } ?? false)
    return avatar.prepared(variant, now: now, isPlain: true)
  }

  /// The answer to a request; a hit's is prepared once and shared while it stays true.
  func disposition(_ answer: Answer, _ form: Form) -> HTTPDisposition {
    guard case .avatar(let avatar, let freshness) = answer.outcome else { return .reply(reply(answer, form)) }
    guard answer.origin == nil, answer.maximumAge == nil, answer.index ?? 0 == 0, answer.cacheStatus.isPlainHit else {
      return .reply(reply(answer, form))
    }
    let variant = ReplyVariant(
      immutable: isImmutable(avatar, freshness, form), inChain: form.inChain,
      notModified: isNotModified(avatar, form.condition, now: cache.clock.now))
    if let prepared = avatar.prepared(variant, now: freshness.assessedAt) { return .prepared(prepared) }
    let (reply, validFor) = lasting(avatar, freshness, variant, index: form.inChain ? 0 : nil)
    let prepared = preparer.prepare(reply)
    avatar.keep(
      PreparedVariant(
        prepared, madeAt: freshness.assessedAt, validFor: validFor,
        firstDueAhead: freshness.firstDueAhead(within: earlyRefresh)),
      for: variant)
    return .prepared(prepared)
  }

  /// A hit's answer for as long as it can be sent again: a fresh one's counts its seconds down itself.
  private func lasting(_ avatar: HotAvatar, _ freshness: Freshness, _ variant: ReplyVariant, index: Int?)
    -> (reply: HTTPReply, validFor: Duration)
  {
    guard freshness.state == .fresh else {
      let lifetimes = freshness.prepared()
      let status = CacheStatus.hit(ttl: "\(lifetimes.ttl)")
      let reply = success(avatar, lifetimes.cacheControl, variant, cacheStatus: status, index: index)
      return (reply, lifetimes.validFor)
    }
    let cacheControl = freshness.exact().cacheControl(maxAge: HTTPReply.secondsLeft)
    let status = CacheStatus.hit(ttl: HTTPReply.secondsLeft)
    var reply = success(avatar, cacheControl, variant, cacheStatus: status, index: index)
    reply.countsDownTo = freshness.freshUntil
    return (reply, freshness.freshUntil - freshness.assessedAt)
  }

  /// The answer made for this request alone.
  func reply(_ answer: Answer, _ form: Form) -> HTTPReply {
    switch answer.outcome {
    case .failure(let error, let remembered):
      let extra = answer.index.map { [HeaderField("Avatar-Source", "\($0)")] } ?? []
      return Problem.reply(error, remembered: remembered, cacheStatus: answer.cacheStatus, extra: extra)
    case .avatar(let avatar, let freshness):
      var lifetimes = freshness.exact()
      if let limit = answer.maximumAge { lifetimes = lifetimes.capped(at: limit) }
      let variant = ReplyVariant(
        immutable: answer.maximumAge == nil && isImmutable(avatar, freshness, form), inChain: form.inChain,
        notModified: isNotModified(avatar, form.condition, now: cache.clock.now))
      var reply = success(
        avatar, lifetimes.cacheControl, variant, cacheStatus: answer.cacheStatus.fieldValue, index: answer.index)
      if let origin = answer.origin { reply.headers.append(HeaderField("Server-Timing", timing(origin))) }
      return reply
    }
  }

  /// An object by its hash: immutable.
  static func object(_ hash: ContentHash, _ jpeg: FixedBytes, notModified: Bool) -> HTTPReply {
    var headers = fixed(notModified: notModified)
    headers.append(HeaderField("ETag", "\"\(hash)\""))
    headers.append(HeaderField("Cache-Control", Freshness.Lifetimes.immutable))
    guard notModified else { return HTTPReply(status: 200, headers: headers, sharing: jpeg) }
    headers.append(length(jpeg.count))
    return HTTPReply(status: 304, headers: headers)
  }

  /// For a 304: the length that a 200 would have (RFC 9110 section 8.6).
  private static func length(_ count: Int) -> HeaderField { HeaderField("Content-Length", "\(count)") }

  /// A 304 carries what guides a cache's update, not what describes the bytes (RFC 9110, 15.4.5).
  private static func fixed(notModified: Bool) -> [HeaderField] {
    notModified ? policies : [HeaderField("Content-Type", "image/jpeg")] + policies
  }

  private static let policies = [
    HeaderField("Access-Control-Allow-Origin", "*"),
    HeaderField("Cross-Origin-Resource-Policy", "cross-origin"),
    HeaderField("Accept-Ranges", "none"),
    HeaderField("X-Content-Type-Options", "nosniff"),
  ]

  private func success(
    _ avatar: HotAvatar, _ cacheControl: String, _ variant: ReplyVariant, cacheStatus: String, index: Int?
  ) -> HTTPReply {
    var headers = Self.fixed(notModified: variant.notModified)
    headers.append(HeaderField("ETag", avatar.etag))
    headers.append(HeaderField("Last-Modified", HTTPDate.format(avatar.entry.changedAt)))
    headers.append(HeaderField("Cache-Control", variant.immutable ? Freshness.Lifetimes.immutable : cacheControl))
    headers.append(HeaderField("Cache-Status", cacheStatus))
    if let index { headers.append(HeaderField("Avatar-Source", "\(index)")) }
    guard variant.notModified else { return HTTPReply(status: 200, headers: headers, sharing: avatar.jpeg) }
    headers.append(Self.length(avatar.jpeg.count))
    return HTTPReply(status: 304, headers: headers)
  }

  /// A URL handed out for exactly these bytes may be kept for good. What its origin forbids to keep is not.
  private func isImmutable(_ avatar: HotAvatar, _ freshness: Freshness, _ form: Form) -> Bool {
    guard let version = form.version, freshness.maySpread else { return false }
    return fits(version, avatar)
  }

  private func isNotModified(_ avatar: HotAvatar, _ condition: ConditionalRequest, now: @autoclosure () -> UnixTime)
    -> Bool
  {
    condition.isNotModified(etag: avatar.etag, lastModified: avatar.entry.changedAt, now: now())
  }

  private func fits(_ version: String, _ avatar: HotAvatar) -> Bool {
    avatar.etag.utf8.dropFirst().starts(with: version.utf8)
  }

  private func timing(_ origin: OriginPart) -> String {
    var parts = ["fetch;dur=\(origin.fetched.milliseconds)"]
    if let queued = origin.queued { parts.append("queue;dur=\(queued.milliseconds)") }
    if let decoded = origin.decoded { parts.append("decode;dur=\(decoded.milliseconds)") }
    return parts.joined(separator: ", ")
  }
}
