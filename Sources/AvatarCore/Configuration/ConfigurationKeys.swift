extension ConfigurationKey {
  /// Every key, in the order of the sample file and of `--help`. The one place where a key is made.
  public static let all: [ConfigurationKey] =
    listening + tls + cache + fetch + flights + image + workers + freshness + negative + breaker + rules + logging

  /// By name.
  public static let byName = Dictionary(all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })

  private static let listening: [ConfigurationKey] = [
    .init("listen", \.listen, .listenAddress, "public side: avatars and objects; what a CDN sees"),
    .init(
      "controlListen", \.controlListen, .listenAddress,
      "control side: prefetch, purge, metrics, health, the page for people"),
    .init(
      "publicBaseURL", \.publicBaseURL, .baseURL, whenAbsent: "scheme and `listen`",
      example: "https://avatars.example.com",
      "start of every URL that the service hands out; must be given where `listen` is a wildcard address"),
    .init(
      "signingKeys", \.signingKeys, ConfigurationType.signingKey.list(of: "keys", atMost: 64),
      hiding: .secret(noun: "key"),
      "hex keys of at least 16 bytes; the first signs, all verify (rotation: add, warm, move to the front, later "
        + "remove)"),
    .init(
      "signingKeysFile", \.signingKeysFile, .path, whenAbsent: "no file", example: "/run/secrets/signing-keys",
      "file with the signing keys, one a line, `#` begins a comment"),
    .init(
      "allowUnsigned", \.allowUnsigned, .flag, whenAbsent: "only with no key and a loopback `listen`",
      example: false,
      "serve unsigned avatar URLs, with a warning at the start; without keys, a `listen` that is not loopback "
        + "refuses to start unless this is set"),
    .init(
      "controlTokens", \.controlTokens, ConfigurationType.token.list(of: "tokens", atMost: 64),
      hiding: .secret(noun: "token"),
      "bearer tokens of the control side; without any, a `controlListen` that is not loopback refuses to start"),
    .init(
      "controlTokensFile", \.controlTokensFile, .path, whenAbsent: "no file", example: "/run/secrets/control-tokens",
      "file with the bearer tokens, one a line, `#` begins a comment"),
    .init(
      "requestBudget", \.requestBudget, .duration(.milliseconds(50)...(.seconds(60))),
      "the longest any avatar request waits for an answer"),
    .init(
      "idleTimeout", \.idleTimeout, .duration(.seconds(1)...(.seconds(3600))),
      "idle keep-alive connections end after this (longer than a balancer's 60s)"),
    .init(
      "requestTimeout", \.requestTimeout, .duration(.milliseconds(100)...(.seconds(300))),
      "the longest a request may take to arrive"),
    .init(
      "responseTimeout", \.responseTimeout, .duration(.milliseconds(100)...(.seconds(600))),
      "the longest a client may take to read an answer"),
    .init("maxConnections", \.maxConnections, .count(1...1_000_000), "connections at once; further ones are refused"),
    .init(
      "drainDelay", \.drainDelay, .duration(.zero...(.seconds(300))),
      "how long to go on accepting, with `Connection: close`, after /readyz fails (rolling deploys: 5s)"),
  ]

  private static let tls: [ConfigurationKey] = [
    .init(
      "tls.certificateFile", \.tls.certificateFile, .path, whenAbsent: "plain HTTP",
      example: "/run/secrets/tls.crt", "HTTPS on the public side: PEM chain, the server's certificate first"),
    .init(
      "tls.keyFile", \.tls.keyFile, .path, whenAbsent: "plain HTTP", example: "/run/secrets/tls.key",
      "the certificate's private key, PEM"),
  ]

  private static let cache: [ConfigurationKey] = [
    .init(
      "cache.directory", \.cache.directory, .path, "where objects and index are; relative to the working directory"),
    .init(
      "cache.maxBytes", \.cache.maxBytes, .bytes((64 << 10)...(1024 << 40)),
      "objects on disk, counted as the file system allocates them (the index comes on top: under 300 bytes an entry)"),
    .init("cache.memoryBytes", \.cache.memoryBytes, .bytes(0...(1 << 40)), "ready responses in memory; 0 for none"),
    .init(
      "cache.scrubBytesPerSecond", \.cache.scrubBytesPerSecond, .bytes(0...(1 << 30)),
      "how much of the cache is read again in a second to find damaged files; 0 for never"),
    .init(
      "cache.queue", \.cache.queue, .count(1...1_000_000),
      "look-ups, and changes, that may wait for the disk; further ones are misses, and are not stored"),
  ]

  private static let fetch: [ConfigurationKey] = [
    .init(
      "fetch.totalTimeout", \.fetch.totalTimeout, .duration(.milliseconds(100)...(.seconds(300))),
      "a flight's whole exchange, redirects included; waiters leave at `requestBudget`, the flight goes on and is kept"),
    .init(
      "fetch.connectTimeout", \.fetch.connectTimeout, .duration(.milliseconds(50)...(.seconds(60))),
      "each connection, look-up and TLS included"),
    .init(
      "fetch.idleTimeout", \.fetch.idleTimeout, .duration(.seconds(1)...(.seconds(60))),
      "the longest an origin may send nothing"),
    .init(
      "fetch.maxRedirects", \.fetch.maxRedirects, .count(0...20),
      "redirects that are followed; each hop is checked like the first URL"),
    .init(
      "fetch.maxBytes", \.fetch.maxBytes, .bytes(1...(1 << 30)),
      "the largest source, counted while streaming, content decoding included"),
    .init("fetch.concurrency", \.fetch.concurrency, .count(1...65_536), "fetches at once"),
    .init("fetch.perHostConcurrency", \.fetch.perHostConcurrency, .count(1...65_536), "fetches at once from one host"),
    .init(
      "fetch.queue", \.fetch.queue, .count(0...1_000_000), "fetches that may wait for a slot; further ones are shed"),
    .init("fetch.dnsConcurrency", \.fetch.dnsConcurrency, .count(1...1024), "name look-ups at once"),
    .init(
      "fetch.allowHosts", \.fetch.allowHosts, ConfigurationType.hostPattern.list(of: "hosts"),
      "the only hosts that are fetched from; empty for all"),
    .init(
      "fetch.denyHosts", \.fetch.denyHosts, ConfigurationType.hostPattern.list(of: "hosts"),
      "hosts that are never fetched from, even where `fetch.allowHosts` has them"),
    .init(
      "fetch.allowAddresses", \.fetch.allowAddresses, ConfigurationType.addressBlock.list(of: "blocks"),
      "blocks of addresses that are exempt from the address rules (for tests and private origins)"),
    .init(
      "fetch.headers", \.fetch.headers, .headers, hiding: .secret(noun: "host"),
      "host pattern → header fields (private origins); never sent to another host on a redirect"),
    .init(
      "fetch.proxy", \.fetch.proxy, .proxy, hiding: .masked, whenAbsent: "no proxy",
      example: "http://proxy.example.com:3128",
      "explicit only: the environment's proxies are never used; behind one, addresses are the proxy's to check, "
        + "literal hosts are still refused here"),
    .init(
      "fetch.userAgent", \.fetch.userAgent, .userAgent, whenAbsent: "avatar-server/ and the version",
      example: "avatar-server", "what origins are told; nothing of the client is"),
  ]

  private static let flights: [ConfigurationKey] = [
    .init(
      "flights.maximum", \.flights.maximum, .count(1...1_000_000),
      "avatars in the making at once; further ones are shed"),
    .init(
      "flights.waiters", \.flights.waiters, .count(1...1_000_000),
      "requests that may wait for avatars in the making; further ones are shed"),
  ]

  private static let image: [ConfigurationKey] = [
    .init("image.size", \.image.size, .count(16...1024), "every avatar is a square of exactly this side, in pixels"),
    .init("image.quality", \.image.quality, .count(1...100), "JPEG quality to begin with"),
    .init(
      "image.minimumQuality", \.image.minimumQuality, .count(1...100),
      "quality is lowered in steps down to this while the output is over `image.targetBytes`"),
    .init(
      "image.targetBytes", \.image.targetBytes, .bytes((1 << 10)...(1 << 20)),
      "the size that quality is lowered for (one initial TCP window)"),
    .init("image.background", \.image.background, .colour, "under transparency"),
    .init(
      "image.maxPixels", \.image.maxPixels, .count(1...1_000_000_000),
      "the most pixels of a source, checked from its header before any pixel is decoded"),
    .init(
      "image.maxPixelsWhole", \.image.maxPixelsWhole, .count(1...1_000_000_000),
      "the same for what is decoded whole (progressive JPEG, interlaced PNG, WebP, GIF, AVIF, HEIC) and for pictures "
        + "embedded in an SVG"),
  ]

  private static let workers: [ConfigurationKey] = [
    .init(
      "workers.count", \.workers.count, .count(1...256), whenAbsent: "one a core", example: 2, "decoding processes"),
    .init(
      "workers.queue", \.workers.queue, .count(0...100_000),
      "pictures that may wait for a worker; further ones are shed"),
    .init(
      "workers.decodeTimeout", \.workers.decodeTimeout, .duration(.milliseconds(50)...(.seconds(60))),
      "CPU time of one picture (wall clock at most twice that); past it the worker is killed and replaced"),
    .init(
      "workers.memory", \.workers.memoryBytes, .bytes((128 << 20)...(64 << 30)),
      "address space of a worker; past it the picture fails"),
    .init(
      "workers.confinement", \.workers.confinement, .oneOf(),
      "`preferred` starts without what the kernel or the container forbids, and says what"),
  ]

  private static let freshness: [ConfigurationKey] = [
    .init(
      "freshness.default", \.freshness.lifetime, .duration(freshFor),
      "how long an avatar is fresh where the origin says nothing"),
    .init("freshness.minimum", \.freshness.minimum, .duration(freshFor), "the least, whatever the origin says"),
    .init("freshness.maximum", \.freshness.maximum, .duration(freshFor), "the most, whatever the origin says"),
    .init(
      "freshness.staleWhileRevalidate", \.freshness.staleWhileRevalidate, .duration(.zero...years),
      "how long past its freshness an avatar is served at once and refreshed behind"),
    .init(
      "freshness.staleIfError", \.freshness.staleIfError, .duration(.zero...years),
      "how long past its freshness an avatar is served where the refresh fails"),
    .init(
      "freshness.earlyRefresh", \.freshness.earlyRefresh, .duration(.zero...(.seconds(86_400))),
      "a popular avatar is refreshed ahead in the last tenth of its freshness, at most this long before its end; 0s for never"
    ),
  ]
  private static let years = Duration.seconds(3650 * 86400)
  private static let freshFor = Duration.seconds(1)...years

  private static let negative: [ConfigurationKey] = [
    .init("negative.notFound", \.negative.notFound, .duration(month), "how long 404 and 410 are remembered"),
    .init("negative.undecodable", \.negative.undecodable, .duration(month), "how long every 422 is remembered"),
    .init(
      "negative.unreachable", \.negative.unreachable, .duration(month),
      "how long every 502 and `origin_timed_out` are remembered"),
    .init(
      "negative.throttled", \.negative.throttled, .duration(month),
      "the most that an origin's `Retry-After` is heeded for"),
    .init(
      "negative.throttledDefault", \.negative.throttledDefault, .duration(month),
      "how long `origin_throttled` is remembered without a `Retry-After`"),
    .init("negative.maximumEntries", \.negative.maximumEntries, .count(1...10_000_000), "failures remembered at once"),
  ]
  private static let month = Duration.zero...(.seconds(30 * 86400))

  private static let breaker: [ConfigurationKey] = [
    .init(
      "breaker.failures", \.breaker.failures, .count(1...1000),
      "failures of a host in a row after which it is left alone for `breaker.coolDown`"),
    .init(
      "breaker.coolDown", \.breaker.coolDown, .duration(.milliseconds(100)...(.seconds(3600))),
      "how long a failing host is left alone before one fetch probes it"),
    .init(
      "breaker.maximumCoolDown", \.breaker.maximumCoolDown, .duration(.milliseconds(100)...(.seconds(86400))),
      "each failed probe doubles the cool-down up to this"),
    .init(
      "breaker.maximumHosts", \.breaker.maximumHosts, .count(1...1_000_000),
      "failing and throttling hosts that are remembered at once"),
  ]

  private static let rules: [ConfigurationKey] = [
    .init(
      "identity", \.identity, ConfigurationType.identity.list(of: "rules", atMost: 1000).asJSON,
      example: [["hosts": ["*.example.com"], "drop": ["token", "X-Amz-*"]]],
      "query parameters that do not belong to an avatar's identity, by host; put before the built-in rules for S3, "
        + "GCS, Azure, CloudFront and Facebook; signed and control requests only"),
    .init(
      "payload.keys", \.payload.keys, .payloadKeys,
      "which payload fields mean what: field → ordered key paths; a field that is given replaces its own paths only"),
    .init(
      "payload.chatTypes", \.payload.chatTypes, .chatTypes, "which payload types are chats, and of what kind"),
    .init(
      "prefetch.objectLifetime", \.prefetch.objectLifetime, .duration(.zero...(.seconds(365 * 86400))),
      "an object handed out by its hash is not evicted sooner unless the disk demands it"),
    .init(
      "prefetch.concurrency", \.prefetch.concurrency, .count(1...100_000),
      "prefetched avatars at work at once, half of `workers.queue` at most; one whose origin takes more than a second gives its place on"
    ),
    .init(
      "prefetch.queue", \.prefetch.queue, .count(1...1_000_000),
      "prefetched avatars under way at once, those that wait for their turn included; further calls are shed"),
    .init("chain.maxSources", \.chain.maxSources, .count(1...4), "sources of one avatar"),
    .init(
      "chain.patience", \.chain.patience, .duration(.zero...(.seconds(60))),
      "how long the best source may keep a good answer of a later one waiting"),
  ]

  private static let logging: [ConfigurationKey] = [
    .init("log.level", \.log.level, .oneOf(), "lines that matter less are left out; hits are at `debug`"),
    .init(
      "log.format", \.log.format, .oneOf(), whenAbsent: "text on a terminal, else json", example: "json",
      "how a line looks"),
  ]
}
