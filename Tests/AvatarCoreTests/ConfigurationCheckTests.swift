import Testing

@testable import AvatarCore

struct ConfigurationCheckTests {
  static let key = ConfigurationValue.text(String(repeating: "a1", count: 16))
  static let open: [String: ConfigurationValue] = ["listen": "0.0.0.0:8080", "publicBaseURL": "https://a.example"]

  @Test(
    arguments: [
      ([:], nil), (["listen": "127.0.0.2:80"], nil), (["listen": "[::1]:80"], nil),
      (["listen": "0.0.0.0:80", "signingKeys": [key]], "publicBaseURL"),
      (["listen": "[::]:80", "signingKeys": [key]], "publicBaseURL"),
      (open, "listen"), (open.merging(["signingKeys": [key]]) { $1 }, nil),
      (open.merging(["allowUnsigned": true]) { $1 }, nil),
      (open.merging(["allowUnsigned": false]) { $1 }, "listen"), (["listen": "192.0.2.1:80"], "listen"),
      (["controlListen": "0.0.0.0:81"], "controlListen"), (["controlListen": "192.0.2.1:81"], "controlListen"),
      (["controlListen": "0.0.0.0:81", "controlTokens": ["0123456789"]], nil),
      (["listen": "127.0.0.1:80", "controlListen": "127.0.0.1:80"], "controlListen"),
      (["listen": "127.0.0.1:0", "controlListen": "127.0.0.1:0"], nil),
      (["controlListen": "127.0.0.2:8080"], nil), (["tls": ["certificateFile": "a"]], "tls.keyFile"),
      (["tls": ["keyFile": "a"]], "tls.certificateFile"), (["tls": ["keyFile": "a", "certificateFile": "b"]], nil),
      (["image": ["quality": 60]], nil), (["image": ["quality": 59]], "image.quality"),
      (["image": ["minimumQuality": 82]], nil), (["image": ["minimumQuality": 83]], "image.minimumQuality"),
      (["image": ["quality": 59, "minimumQuality": 59]], nil), (["freshness": ["minimum": "24h"]], nil),
      (["freshness": ["minimum": "25h"]], "freshness.minimum"),
      (["freshness": ["maximum": "23h"]], "freshness.maximum"),
      (["freshness": ["default": "1m"]], "freshness.default"), (["freshness": ["default": "31d"]], "freshness.default"),
      (["freshness": ["default": "1s", "minimum": "1s", "maximum": "1s"]], nil),
      (["breaker": ["coolDown": "2m"]], "breaker.coolDown"),
      (["breaker": ["maximumCoolDown": "1s"]], "breaker.maximumCoolDown"),
      // What is merely pointless is no fault: the other limit holds.
      (["requestBudget": "1s"], nil), (["fetch": ["totalTimeout": "1s"]], nil), (["fetch": ["concurrency": 1]], nil),
      (["image": ["maxPixels": 1]], nil), (["negative": ["throttled": "1s"]], nil),
    ] as [([String: ConfigurationValue], String?)])
  func `values must fit together`(file: [String: ConfigurationValue], faulty: String?) {
    let faults = ConfigurationLoad(file: file).faults()
    #expect(faults.count == (faulty == nil ? 0 : 1), "\(file): \(faults)")
    if let faulty { #expect(faults.first?.hasPrefix(faulty + " ") == true, "\(file): \(faults)") }
  }

  @Test func `every fault is reported at once`() {
    let load = ConfigurationLoad(
      file: ["lsten": "x", "image": ["size": 1, "colour": "red"], "listen": "0.0.0.0:80"],
      environment: ["AVATAR_FETCH_MAX_BYTES": "10MB", "AVATAR_NONSENSE": "1"], flags: [("requestBudget", "4")])
    #expect(
      load.faults().map { String($0.prefix { $0 != ":" }) } == [
        "image.colour (test.json5)", "lsten (test.json5)", "AVATAR_NONSENSE (AVATAR_NONSENSE)",
        "requestBudget = \"4\" (--request-budget)", "fetch.maxBytes = \"10MB\" (AVATAR_FETCH_MAX_BYTES)",
        "image.size = 1 (test.json5)", "publicBaseURL (not given)", "listen = \"0.0.0.0",
      ])
  }

  @Test func `a fault of one key does not blame another`() {
    // The key is wrong, not missing: that the listen address needs one is not said.
    let load = ConfigurationLoad(file: Self.open.merging(["signingKeys": ["zz"]]) { $1 })
    #expect(load.faults().count == 1)
  }

  @Test func `a file that cannot be read leaves only what is certain`() {
    let fault = ConfigurationFault(
      key: "configuration", value: nil, origin: .file(path: "x", line: 3), reason: "broken")
    let inputs = ConfigurationInputs(
      fileFaults: [fault], environment: ["AVATAR_LISTEN": "0.0.0.0:80", "AVATAR_IMAGE_SIZE": "1"], parse: { _ in nil },
      readSecrets: { _ in .failure(SecretFile.Unreadable(reason: "")) })
    do {
      _ = try Configuration.load(inputs)
      Issue.record("loaded")
    } catch {
      #expect(error.faults.map(\.key) == ["configuration", "image.size"])
    }
  }

  @Test func `unsigned URLs are served by default only without a key and on loopback`() throws {
    let cases: [([String: ConfigurationValue], Bool)] = [
      ([:], true), (["signingKeys": [Self.key]], false), (["signingKeys": [Self.key], "allowUnsigned": true], true),
      (["allowUnsigned": false], false), (Self.open.merging(["allowUnsigned": true]) { $1 }, true),
      (Self.open.merging(["signingKeys": [Self.key]]) { $1 }, false),
    ]
    for (file, allows) in cases {
      let loaded = try ConfigurationLoad(file: file).run()
      #expect(loaded.configuration.allowsUnsigned == allows, "\(file)")
      #expect(loaded.warnings.contains { $0.hasPrefix("unsigned") } == allows, "\(file)")
    }
  }

  @Test(
    arguments: [
      ([:], 8080, "http://127.0.0.1:8080"), (["listen": "127.0.0.1:0"], 4711, "http://127.0.0.1:4711"),
      (["listen": "[::1]:80"], 80, "http://[::1]"),
      (["publicBaseURL": "https://a.example/x/"], 1, "https://a.example/x"),
      (["tls": ["certificateFile": "c", "keyFile": "k"]], 443, "https://127.0.0.1"),
      (["tls": ["certificateFile": "c", "keyFile": "k"]], 80, "https://127.0.0.1:80"),
    ] as [([String: ConfigurationValue], UInt16, String)])
  func `URLs begin with what was configured, else with scheme and listen`(
    file: [String: ConfigurationValue], port: UInt16, base: String
  ) throws {
    #expect(try ConfigurationLoad(file: file).run().configuration.baseURL(boundPort: port) == base)
  }

  @Test func `what is decoded whole never gets more pixels than the rest`() throws {
    let loaded = try ConfigurationLoad(file: ["image": ["maxPixels": 1000]]).run()
    #expect(loaded.configuration.imageLimits.maxPixelsWhole == 1000)
    #expect(Configuration().imageLimits == ImageLimits())
    #expect(Configuration().recipe(fit: .contain) == Recipe(fit: .contain))
  }

  @Test func `choices that weaken something are warned of`() throws {
    let loaded = try ConfigurationLoad(
      file: ["fetch": ["proxy": "http://p.example:1"], "workers": ["confinement": "preferred"], "allowUnsigned": false]
    ).run()
    #expect(loaded.warnings.map { String($0.prefix { $0 != " " }) } == ["fetch.proxy", "workers.confinement"])
  }
}
