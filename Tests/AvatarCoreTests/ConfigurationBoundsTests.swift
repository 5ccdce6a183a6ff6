import Testing

@testable import AvatarCore

struct ConfigurationBoundsTests {
  /// Keys whose text says 'from LOW to HIGH', with the two ends as that text has them.
  static let ranges: [(name: String, low: String, high: String)] = ConfigurationKey.all.compactMap { key in
    let words = key.allowed.split(separator: " ").map { $0.filter { $0 != "," } }
    guard let from = words.firstIndex(of: "from"), words.count > from + 3, words[from + 2] == "to" else { return nil }
    return (key.name, words[from + 1], words[from + 3])
  }

  @Test func `most keys have a range`() { #expect(Self.ranges.count >= 45) }

  @Test(arguments: ranges.map(\.name))
  func `the ends of a range are allowed and what is just past them is not`(name: String) throws {
    let (_, low, high) = try #require(Self.ranges.first { $0.name == name })
    let key = try #require(ConfigurationKey.byName[name])
    for (text, isAllowed) in [(low, true), (high, true), (Self.step(low, -1), false), (Self.step(high, 1), false)] {
      guard let text else { continue }  // Nothing is below nought.
      var configuration = Configuration()
      var rejections: [ConfigurationRejection] = []
      key.decode(.text(text), &configuration, &rejections)
      #expect(rejections.isEmpty == isAllowed, "\(name) = \(text)")
    }
  }

  /// The neighbour of a quantity, a millisecond, byte or one away; nil below nought.
  static func step(_ text: String, _ step: Int) -> String? {
    if let duration = DurationText.parse(text) {
      let moved = duration + .milliseconds(step)
      return moved < .zero ? nil : "\(moved.milliseconds)ms"
    }
    return ByteCountText.parse(text).flatMap { $0 + step < 0 ? nil : "\($0 + step)" }
  }

  @Test(arguments: [
    ("listen", "8080"), ("listen", "example.com:80"), ("publicBaseURL", "avatars.example.com"),
    ("publicBaseURL", "ftp://a.example"), ("publicBaseURL", "https://u:p@a.example"),
    ("publicBaseURL", "https://a.example?x"),
    ("publicBaseURL", "https://a.example#x"), ("publicBaseURL", "https://"), ("publicBaseURL", "https://a b"),
    ("publicBaseURL", "https://a.example:0"), ("publicBaseURL", "https://a.example:99999"),
    ("publicBaseURL", "https://[::1"),
    ("publicBaseURL", "https://a.example/%zz"), ("fetch.proxy", "proxy.example:3128"),
    ("fetch.proxy", "http://p.example/path"),
    ("fetch.proxy", "ftp://p.example"), ("image.background", "white"), ("image.background", "#fff"),
    ("image.background", "#gggggg"), ("image.background", "ffffff"), ("image.background", "#fffffff"),
    ("image.size", "256px"), ("image.size", "2.5"), ("image.size", "-1"), ("image.size", "0x100"),
    ("workers.confinement", "Required"), ("workers.confinement", "off"), ("log.level", "trace"), ("log.format", "xml"),
    ("allowUnsigned", "yes"), ("allowUnsigned", "1"), ("allowUnsigned", "TRUE"), ("freshness.earlyRefresh", "10"),
    ("freshness.earlyRefresh", "1m0s"), ("fetch.allowHosts", "a..b"), ("fetch.allowHosts", "*"),
    ("fetch.allowHosts", "a,,b"),
    ("fetch.allowHosts", "http://a.example"), ("fetch.allowAddresses", "10.0.0.0/33"),
    ("fetch.allowAddresses", "10.0.0/8"),
    ("fetch.userAgent", "a\nb"), ("fetch.userAgent", "é"), ("cache.directory", ""), ("cache.directory", "a\0b"),
    ("requestBudget", "4"), ("requestBudget", "4 s"), ("fetch.maxBytes", "10MB"), ("tls.keyFile", "\0"),
  ])
  func `what is not of a key's kind is a fault that names key, value and what is allowed`(name: String, text: String)
    throws
  {
    let key = try #require(ConfigurationKey.byName[name])
    let faults = ConfigurationLoad(flags: [(name, text)]).faults().filter { $0.contains("allowed: ") }
    let fault = try #require(faults.first, "\(name) = \(text)")
    #expect(fault.hasPrefix(name), "\(fault)")
    #expect(fault.contains("--"), "\(fault)")
    #expect(key.shape == .list || fault.contains(key.allowed), "\(fault)")
  }

  @Test(
    arguments: [
      ("image.size", ConfigurationValue.number(256.5)), ("image.size", true), ("image.size", [256]),
      ("image.size", ["a": 1]),
      ("requestBudget", 4), ("requestBudget", .number(4.5)), ("requestBudget", true), ("cache.maxBytes", .number(1e30)),
      ("cache.maxBytes", .number(.infinity)), ("cache.maxBytes", .number(.nan)), ("cache.maxBytes", -1),
      ("listen", 8080),
      ("allowUnsigned", 1), ("fetch.allowHosts", 1), ("fetch.allowHosts", [1]), ("fetch.allowHosts", [["a.example"]]),
      ("fetch.headers", "x"), ("fetch.headers", ["a.example": "x"]), ("fetch.headers", ["a.example": ["A": 1]]),
      ("fetch.headers", ["a.example": ["A b": "x"]]), ("fetch.headers", ["a.example": ["Content-Length": "1"]]),
      ("fetch.headers", ["a.example": ["A": "x\r\nB: y"]]), ("fetch.headers", ["*": ["A": "x"]]), ("identity", "x"),
      ("identity", [["hosts": ["a.example"]]]), ("identity", [["hosts": ["a.example"], "drop": ["*a"]]]),
      ("identity", [["hosts": ["a..example"], "drop": ["a"]]]),
      ("identity", [["hosts": ["a.example"], "drop": ["a"], "x": 1]]),
      ("payload.keys", ["sender": ["a"]]), ("payload.keys", ["senderName": ["a..b"]]),
      ("payload.keys", ["senderName": 1]),
      ("payload.chatTypes", ["x": "chat"]), ("payload.chatTypes", ["": "single"]), ("signingKeys", ["00"]),
      ("signingKeys", [.text(String(repeating: "0", count: 33))]),
      ("signingKeys", [.text(String(repeating: "g", count: 32))]),
      ("signingKeys", [.text(String(repeating: "0", count: 2050))]), ("controlTokens", ["short"]),
      ("controlTokens", ["with a blank in it"]), ("controlTokens", ["tökentöken"]), ("chain", 4), ("chain.sources", 4),
    ] as [(String, ConfigurationValue)])
  func `a value of the wrong kind in the file is one fault`(name: String, value: ConfigurationValue) {
    let faults = ConfigurationLoad(file: [name: value]).faults()
    #expect(faults.count == 1, "\(name) = \(value): \(faults)")
    #expect(faults.allSatisfy { $0.hasPrefix(name) }, "\(faults)")
  }

  @Test(arguments: [
    ("publicBaseURL", "HTTPS://avatars.example.com/a/", "\"https://avatars.example.com/a\""),
    ("publicBaseURL", "http://[2001:db8::1]:8080", "\"http://[2001:db8::1]:8080\""),
    ("fetch.proxy", "http://user:secret@proxy.example:3128/", "\"http://(hidden)@proxy.example:3128\""),
    ("fetch.proxy", "socks5h://127.0.0.1:1080", "\"socks5h://127.0.0.1:1080\""),
    ("image.background", "#AaBbCc", "\"#aabbcc\""),
    ("image.background", "#000001", "\"#000001\""), ("allowUnsigned", "false", "false"),
    ("fetch.maxBytes", "1024", "\"1KiB\""),
    ("requestBudget", "1.5s", "\"1500ms\""),
  ])
  func `a value is shown in one form`(name: String, text: String, shown: String) throws {
    let loaded = try ConfigurationLoad(flags: [(name, text)]).run()
    #expect(ConfigurationKey.byName[name]?.shown(in: loaded.configuration) == shown)
  }
}
