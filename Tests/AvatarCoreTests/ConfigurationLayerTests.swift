import Testing

@testable import AvatarCore

struct ConfigurationLayerTests {
  @Test(arguments: [
    ("listen", "AVATAR_LISTEN", "--listen"),
    ("publicBaseURL", "AVATAR_PUBLIC_BASE_URL", "--public-base-url"),
    ("fetch.maxBytes", "AVATAR_FETCH_MAX_BYTES", "--fetch-max-bytes"),
    ("fetch.perHostConcurrency", "AVATAR_FETCH_PER_HOST_CONCURRENCY", "--fetch-per-host-concurrency"),
    ("freshness.staleWhileRevalidate", "AVATAR_FRESHNESS_STALE_WHILE_REVALIDATE", "--freshness-stale-while-revalidate"),
    ("tls.keyFile", "AVATAR_TLS_KEY_FILE", "--tls-key-file"),
    ("signingKeysFile", "AVATAR_SIGNING_KEYS_FILE", "--signing-keys-file"),
    ("image.maxPixelsWhole", "AVATAR_IMAGE_MAX_PIXELS_WHOLE", "--image-max-pixels-whole"),
  ])
  func `a key has one name in each layer`(name: String, variable: String, flag: String) throws {
    let key = try #require(ConfigurationKey.byName[name])
    #expect(key.environmentName == variable)
    #expect(key.flagName == flag)
  }

  @Test func `no two keys share a name in any layer`() {
    let keys = ConfigurationKey.all
    #expect(ConfigurationKey.byName.count == keys.count)
    #expect(Set(keys.map(\.environmentName)).count == keys.count)
    #expect(Set(keys.compactMap(\.flagName)).count == keys.count - 3)
  }

  @Test func `exactly the three secrets have no flag`() {
    let secrets = ConfigurationKey.all.filter(\.isSecret).map(\.name)
    #expect(secrets == ["signingKeys", "controlTokens", "fetch.headers"])
    #expect(ConfigurationKey.all.filter { $0.flagName == nil }.map(\.name) == secrets)
  }

  @Test func `the defaults are the contract's`() throws {
    let shown: [String: String] = [
      "listen": "\"127.0.0.1:8080\"", "controlListen": "\"127.0.0.1:8081\"", "requestBudget": "\"4s\"",
      "idleTimeout": "\"75s\"", "requestTimeout": "\"10s\"", "responseTimeout": "\"30s\"", "maxConnections": "10000",
      "drainDelay": "\"0s\"", "cache.directory": "\"./avatar-cache\"", "cache.maxBytes": "\"10GiB\"",
      "cache.memoryBytes": "\"256MiB\"", "fetch.totalTimeout": "\"8s\"", "fetch.connectTimeout": "\"2s\"",
      "fetch.maxRedirects": "3", "fetch.maxBytes": "\"10MiB\"", "fetch.concurrency": "256",
      "fetch.perHostConcurrency": "16", "image.size": "256", "image.quality": "82", "image.minimumQuality": "60",
      "image.targetBytes": "\"13KiB\"", "image.background": "\"#ffffff\"", "image.maxPixels": "50000000",
      "image.maxPixelsWhole": "30000000", "workers.queue": "256", "workers.decodeTimeout": "\"2s\"",
      "workers.memory": "\"768MiB\"", "workers.confinement": "\"required\"", "freshness.default": "\"24h\"",
      "freshness.minimum": "\"5m\"", "freshness.maximum": "\"30d\"", "freshness.staleWhileRevalidate": "\"7d\"",
      "freshness.staleIfError": "\"30d\"", "negative.notFound": "\"1h\"", "negative.undecodable": "\"1h\"",
      "negative.unreachable": "\"30s\"", "negative.throttled": "\"1h\"", "negative.throttledDefault": "\"60s\"",
      "prefetch.objectLifetime": "\"24h\"", "chain.maxSources": "4", "chain.patience": "\"1500ms\"",
      "log.level": "\"info\"",
    ]
    for (name, value) in shown {
      #expect(ConfigurationKey.byName[name]?.shown(in: Configuration()) == value, "\(name)")
    }
    for name in [
      "publicBaseURL", "signingKeys", "signingKeysFile", "allowUnsigned", "controlTokens", "controlTokensFile",
      "tls.certificateFile", "tls.keyFile", "fetch.headers", "fetch.proxy", "fetch.userAgent", "workers.count",
      "log.format",
    ] {
      let key = try #require(ConfigurationKey.byName[name])
      #expect(key.shown(in: Configuration()) == nil, "\(name)")
    }
    #expect(try ConfigurationLoad().run().origins.isEmpty)
  }

  @Test func `a later layer wins`() throws {
    var load = ConfigurationLoad()
    #expect(try load.run().configuration.fetch.maxBytes == 10 << 20)
    load.file = ["fetch": ["maxBytes": "1MiB"]]
    #expect(try load.run().configuration.fetch.maxBytes == 1 << 20)
    load.environment["AVATAR_FETCH_MAX_BYTES"] = "2MiB"
    #expect(try load.run().configuration.fetch.maxBytes == 2 << 20)
    load.flags = [("fetch.maxBytes", "3MiB")]
    #expect(try load.run().configuration.fetch.maxBytes == 3 << 20)
    load.flags.append(("fetch.maxBytes", "4MiB"))
    let loaded = try load.run()
    #expect(loaded.configuration.fetch.maxBytes == 4 << 20)
    #expect(loaded.origins["fetch.maxBytes"] == .flag("--fetch-max-bytes"))
  }

  @Test func `a fault in a layer that loses does not matter`() throws {
    // The value that would be served by is sound; the file's would never be used.
    let load = ConfigurationLoad(file: ["image": ["size": 1]], environment: ["AVATAR_IMAGE_SIZE": "128"])
    #expect(try load.run().configuration.image.size == 128)
  }

  @Test func `a dotted name in the file is the same key`() throws {
    #expect(try ConfigurationLoad(file: ["fetch.maxBytes": "1MiB"]).run().configuration.fetch.maxBytes == 1 << 20)
    let twice = ConfigurationLoad(file: ["fetch.maxBytes": "1MiB", "fetch": ["maxBytes": "1MiB"]])
    #expect(twice.faults() == ["fetch.maxBytes (test.json5): is given twice in this file"])
  }

  @Test func `null is the default`() throws {
    let load = ConfigurationLoad(file: [
      "image": ["size": .null], "publicBaseURL": .null, "cache": ["directory": .null],
    ])
    #expect(try load.run().configuration.image.size == 256)
  }

  @Test(arguments: ConfigurationKey.all.map(\.name))
  func `what is shown of a value can be given in the file again`(name: String) throws {
    let key = try #require(ConfigurationKey.byName[name])
    guard !key.isSecret, let value = key.defaultValue ?? key.example else { return }
    var configuration = Configuration()
    var rejections: [ConfigurationRejection] = []
    key.decode(value, &configuration, &rejections)
    #expect(rejections.isEmpty, "\(name) = \(value)")
    #expect(key.encode(configuration) == value, "\(name)")
  }

  @Test(arguments: ConfigurationKey.all.map(\.name))
  func `what is shown of a value can be given in the environment again`(name: String) throws {
    let key = try #require(ConfigurationKey.byName[name])
    guard !key.isSecret, let value = key.defaultValue ?? key.example else { return }
    let text =
      switch value {
      case .text(let text): text
      case .list(let items) where key.shape == .list: items.map { "\($0)".filter { $0 != "\"" } }.joined(separator: ",")
      default: value.description
      }
    // Files and partners that the examples need are not the question here.
    let load = ConfigurationLoad(environment: [key.environmentName: text], parsed: [text: value])
    let own = load.faults().filter { $0.contains("allowed:") && $0.contains(key.environmentName) }
    #expect(own == [], "\(key.environmentName)=\(text)")
  }

  @Test func `lists are comma-separated outside of the file, and a single item needs no brackets in it`() throws {
    let load = ConfigurationLoad(
      file: ["fetch": ["denyHosts": "bad.example"]],
      environment: ["AVATAR_FETCH_ALLOW_ADDRESSES": "10.0.0.0/8, fd00::/8", "AVATAR_FETCH_ALLOW_HOSTS": ""])
    let configuration = try load.run().configuration
    #expect(configuration.fetch.allowAddresses.map(\.text) == ["10.0.0.0/8", "fd00::/8"])
    #expect(configuration.fetch.denyHosts.map(\.text) == ["bad.example"])
    #expect(configuration.fetch.allowHosts.isEmpty)
  }

  @Test func `an empty variable is nothing where there is no default, else a fault`() throws {
    let unset = ConfigurationLoad(
      file: ["fetch": ["proxy": "http://proxy.example:3128"]],
      environment: ["AVATAR_FETCH_PROXY": "", "AVATAR_PUBLIC_BASE_URL": ""])
    #expect(try unset.run().configuration.fetch.proxy == nil)
    #expect(ConfigurationLoad(environment: ["AVATAR_IMAGE_SIZE": ""]).faults().count == 1)
  }

  @Test(arguments: [
    ("AVATAR_PORT", "tcp://10.0.0.1:80"), ("AVATAR_PORT_8080_TCP", "tcp://10.0.0.1:8080"),
    ("AVATAR_PORT_8080_TCP_ADDR", "10.0.0.1"), ("AVATAR_PORT_8080_TCP_PORT", "8080"),
    ("AVATAR_PORT_8080_TCP_PROTO", "tcp"), ("AVATAR_SERVICE_HOST", "10.0.0.1"), ("AVATAR_SERVICE_PORT", "80"),
    ("AVATAR_SERVICE_PORT_HTTP", "80"), ("AVATAR_SERVER_SERVICE_HOST", "10.0.0.1"),
    ("AVATAR_SERVER_PORT_53_UDP", "udp://10.0.0.1:53"), ("AVATAR_CONFIG", "elsewhere.json5"), ("AVATARS", "x"),
    ("PATH", "/bin"), ("HTTP_PROXY", "http://proxy.example"),
  ])
  func `variables that others set are left alone`(name: String, value: String) {
    // Kubernetes puts these into every pod where a service is called avatar; they must not stop the start.
    #expect(ConfigurationLoad(environment: [name: value]).faults() == [], "\(name)")
  }

  @Test(arguments: ["AVATAR_PORT", "AVATAR_LOG", "AVATAR_", "AVATAR_FETCH", "AVATAR_FETCH_MAX_BYTE", "AVATAR_SERVICE"])
  func `other unknown variables are faults`(name: String) {
    let faults = ConfigurationLoad(environment: [name: "8080"]).faults()
    #expect(faults.count == 1 && faults.allSatisfy { $0.contains("unknown key") }, "\(name): \(faults)")
  }

  @Test func `objects merge or replace as documented`() throws {
    let load = ConfigurationLoad(
      file: [
        "payload": ["keys": ["senderName": "from.name"], "chatTypes": ["dm": "single"]],
        "identity": [["hosts": ["*.cdn.example"], "drop": ["token", "X-*"]]],
        "fetch": ["headers": ["*.private.example": ["Authorization": "Bearer 1"]]],
      ])
    let configuration = try load.run().configuration
    #expect(configuration.payload.keys["senderName"] == ["from.name"])
    #expect(configuration.payload.keys["groupID"] == ["group.id", "group_id"])
    #expect(configuration.payload.chatTypes == ["dm": .single])
    #expect(configuration.identity.map(\.drop) == [["token", "X-*"]])
    #expect(configuration.fetch.headers.map(\.hosts.text) == ["*.private.example"])
    #expect(configuration.fetch.headers.map(\.fields) == [[HeaderField("Authorization", "Bearer 1")]])
  }
}
